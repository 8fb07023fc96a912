/** Words with which pages speak to the program that reads them instead of to people. */
const PATTERNS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass)\b[^.!?\n]{0,60}\b(?:instruction|prompt|rule|guideline|direction|context|told)s?\b/i,
  /\b(?:ignoriere|vergiss|missachte)\b[^.!?\n]{0,60}\b(?:anweisung|regel|vorgabe)(?:en)?\b/i,
  /\b(?:ignore[zr]?|oublie[zr]?)\b[^.!?\n]{0,60}\b(?:instructions?|consignes?|règles?)\b/i,
  /\b(?:ignora|olvida)\b[^.!?\n]{0,60}\b(?:instrucciones|istruzioni|reglas|regole)\b/i,
  /(?:忽略|无视|無視)[^。\n]{0,20}(?:指令|指示|提示|规则)/,
  /\b(?:new|updated|real|actual|hidden|secret)\s+(?:system\s+)?(?:instructions?|prompt|directives?)\b\s*[:\-–—]/i,
  /\b(?:system|developer)\s+(?:prompt|message|instructions?)\b/i,
  /\byou\s+are\s+(?:now|no\s+longer)\b/i,
  /\b(?:act|behave|respond|answer)\s+as\s+(?:if\s+you|an?\s+(?:unrestricted|different|new))\b/i,
  /\b(?:ai|a\.i\.|llm|gpt|chatgpt|claude|gemini|assistant|agent|bot|language\s+model|crawler|scraper)s?\b[^.!?\n]{0,40}\b(?:must|should|shall|have\s+to|need\s+to|please|are\s+(?:required|instructed|ordered|asked))\b/i,
  /\b(?:attention|note|message|instructions?|important)\s*(?:to|for)\s*(?:all\s+|any\s+)?(?:ai|llm|language\s+model|assistant|agent|bot|crawler|scraper)s?\b/i,
  /\b(?:call|invoke|use|run|execute|trigger)\s+(?:the\s+|your\s+)?[\w-]*\s*(?:tools?|functions?|plugins?|commands?)\b/i,
  /\b(?:reveal|print|output|repeat|show|send|leak|exfiltrate|post|include|append)\b[^.!?\n]{0,60}\b(?:system\s+text|your\s+(?:instructions|rules|prompt|configuration|credentials?|keys?|secrets?|tokens?)|api[\s_-]?keys?|environment\s+variables?|conversation)\b/i,
  /\bthe\s+user\s+(?:has\s+|now\s+)?(?:asked|told|instructed|ordered|wants|requests)\s+(?:you|that\s+you)\b/i,
  /<\|?(?:im_start|im_end|system|endoftext)\|?>|\[\/?(?:INST|SYS)\]|<<\/?SYS>>/,
  /^\s*(?:system|assistant|developer|tool)\s*:/im,
];

const NOTE = "[left out: words to the reading program]";
/** Sentences: an order stands in one, and what follows it in the line belongs to it. */
const SENTENCE = /[^.!?。！？]+(?:[.!?。！？]+|$)/gu;

/**
 * The text without what speaks to the program that reads it: from such a sentence to the end of its line. It is no content
 * that anybody asked for; a page about the subject loses its examples, which is the smaller harm.
 */
export function withoutInjectedInstructions(text: string): { text: string; removed: number } {
  if (!PATTERNS.some((pattern) => pattern.test(text))) return { text, removed: 0 };
  let removed = 0;
  const lines = text.split("\n").map((line) => {
    const at = firstOrder(line);
    if (at < 0) return line;
    removed++;
    return line.slice(0, at) + NOTE;
  });
  return { text: lines.join("\n"), removed };
}

function firstOrder(line: string): number {
  if (!PATTERNS.some((pattern) => pattern.test(line))) return -1;
  for (const { 0: sentence, index } of line.matchAll(SENTENCE)) {
    if (PATTERNS.some((pattern) => pattern.test(sentence))) return index + (/^\s*/.exec(sentence)?.[0].length ?? 0);
  }
  // The words stand across sentences.
  return 0;
}
