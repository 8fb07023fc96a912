import { foldText } from "../../core/search/words.ts";

/** Wordings that address a model instead of a reader. On folded text: lower case, without diacritics. */
const SIGNS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass)\b.{0,30}\b(?:previous|prior|above|earlier|preceding|all|any|your|these|the)\b.{0,30}\b(?:instructions?|prompts?|rules?|directives?|guidelines?|commands?|context)\b/,
  /\b(?:ignoriere?|vergiss|missachte)\b.{0,60}\b(?:anweisung|regel|vorgabe|instruktion)(?:en)?\b/,
  /\b(?:ignore[rz]?|oublie[rz]?)\b.{0,60}\b(?:instructions|consignes?|regles?)\b/,
  /\b(?:ignora|olvida|omite)\b.{0,60}\b(?:instrucciones|reglas|istruzioni|regole|instrucoes)\b/,
  /(?:忽略|无视|無視).{0,20}(?:指令|指示|提示|规则)|(?:指示|命令)を(?:無視|忘れ)/,
  /\b(?:reveal|print|repeat|output|show|leak|disclose|send)\b.{0,30}\b(?:system prompt|hidden prompt|initial instructions|your instructions|your prompt|api keys?|secrets?|credentials)\b/,
  /\b(?:you are now|act as|pretend to be|from now on you)\b.{0,40}\b(?:an? (?:ai|assistant|agent|model|dan|admin|system)|unrestricted|jailbroken|developer mode)\b/,
  /\b(?:attention|note to|message (?:to|for)|instructions? (?:to|for))\b.{0,15}\b(?:ai|llm|language models?|assistants?|agents?|crawlers? and ai)\b.{0,5}[:,-]/,
  /\b(?:ai|llm|assistant|agent|language model)s?\b.{0,20}\b(?:reading|processing|summari[sz]ing|visiting|parsing) this\b.{0,40}\b(?:must|should|shall|are required|have to|please)\b/,
  /<\/?(?:system|im_start|im_end|\|im_start\|)>|\[\/?(?:inst|sys|system)\]|<\|(?:im_start|im_end|system|endoftext)\|>|<<\/?sys>>/,
  /\b(?:call|use|invoke|run|execute)\b.{0,15}\b(?:the )?[\w-]{2,30} (?:tool|function)\b.{0,40}\b(?:with|now|immediately|to send|to fetch)\b/,
];

/**
 * Weaker signs, which honest texts hold now and then. They are not enough to refuse a page; but a program that acts on
 * the text is safer without them.
 */
const SUSPICIONS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass)\b[^.!?]{0,60}\b(?:instruction|prompt|rule|guideline|direction|context|told)s?\b/,
  /\b(?:new|updated|real|actual|hidden|secret)\s+(?:system\s+)?(?:instructions?|prompt|directives?)\b\s*[:\-–—]/,
  /\b(?:system|developer)\s+(?:prompt|message|instructions?)\b/,
  /\byou\s+are\s+(?:now|no\s+longer)\b/,
  /\b(?:act|behave|respond|answer)\s+as\s+(?:if\s+you|an?\s+(?:unrestricted|different|new))\b/,
  /\b(?:ai|a\.i\.|llm|gpt|chatgpt|claude|gemini|assistant|agent|bot|language\s+model|crawler|scraper)s?\b[^.!?]{0,40}\b(?:must|should|shall|have\s+to|need\s+to|please|are\s+(?:required|instructed|ordered|asked))\b/,
  /\b(?:attention|note|message|instructions?|important)\s*(?:to|for)\s*(?:all\s+|any\s+)?(?:ai|llm|language\s+model|assistant|agent|bot|crawler|scraper)s?\b/,
  /\b(?:call|invoke|use|run|execute|trigger)\s+(?:the\s+|your\s+)?[\w-]*\s*(?:tools?|functions?|plugins?|commands?)\b/,
  /\b(?:reveal|print|output|repeat|show|send|leak|exfiltrate|post|include|append)\b[^.!?]{0,60}\b(?:system\s+text|your\s+(?:instructions|rules|prompt|configuration|credentials?|keys?|secrets?|tokens?)|api[\s_-]?keys?|environment\s+variables?|conversation)\b/,
  /\bthe\s+user\s+(?:has\s+|now\s+)?(?:asked|told|instructed|ordered|wants|requests)\s+(?:you|that\s+you)\b/,
  /<\|?(?:im_start|im_end|system|endoftext)\|?>/,
  /^\s*(?:system|assistant|developer|tool)\s*:/,
];

const SPAN_CHARS = 400;
/** Takes the place of a passage that was left out. */
export const LEFT_OUT = "[left out: words to the reading program]";
/** Ends of sentences: a word in another sentence is about something else. */
const SENTENCE_END = /(?<=[.!?])\s+|(?<=[。！？])/u;

/**
 * Finds signs that a text addresses a language model: the suspicious passages, at most five. Rules find known wordings
 * only; an empty result proves nothing.
 */
export function findPromptInjection(text: string): string[] {
  const found: string[] = [];
  for (const sentence of foldText(text).split("\n").flatMap(sentencesOf)) {
    const span = sentence.slice(0, SPAN_CHARS);
    if (SIGNS.some((sign) => sign.test(span))) found.push(span.trim());
    if (found.length >= 5) break;
  }
  return found;
}

/**
 * Returns the text without passages that address, or may address, the program that reads it: from such a sentence to
 * the end of its line. Such passages are not requested content; a page about the subject loses its examples, which is
 * the smaller harm.
 * @returns the text, and the number of lines that were cut.
 */
export function withoutPromptInjection(text: string): { text: string; removed: number } {
  let removed = 0;
  const lines = text.split("\n").map((line) => {
    const order = sentencesOf(line).find(isSuspect);
    if (order === undefined) return line;
    removed++;
    return line.slice(0, line.indexOf(order)) + LEFT_OUT;
  });
  return removed === 0 ? { text, removed } : { text: lines.join("\n"), removed };
}

function sentencesOf(line: string): string[] {
  return line.split(SENTENCE_END);
}

function isSuspect(sentence: string): boolean {
  const folded = foldText(sentence).replace(/\s+/g, " ");
  return [SIGNS, SUSPICIONS].some((signs) => signs.some((sign) => sign.test(folded)));
}
