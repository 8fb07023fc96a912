import { foldText } from "../core/words.ts";

/** Ways in which texts speak to a model instead of to a reader. On folded text: lower case, without diacritics. */
const SIGNS: RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass)\b.{0,30}\b(?:previous|prior|above|earlier|preceding|all|any|your|these|the)\b.{0,30}\b(?:instructions?|prompts?|rules?|directives?|guidelines?|commands?|context)\b/,
  /\b(?:ignoriere?|vergiss|missachte)\b.{0,40}\b(?:anweisungen|regeln|vorgaben|instruktionen)\b/,
  /\b(?:ignorez?|oubliez?)\b.{0,40}\b(?:instructions|consignes|regles)\b/,
  /\b(?:ignora|olvida|omite)\b.{0,40}\b(?:instrucciones|reglas|istruzioni|regole|instrucoes)\b/,
  /(?:忽略|无视|無視).{0,12}(?:指令|指示|规则)|(?:指示|命令)を(?:無視|忘れ)/,
  /\b(?:reveal|print|repeat|output|show|leak|disclose|send)\b.{0,30}\b(?:system prompt|hidden prompt|initial instructions|your instructions|your prompt|api keys?|secrets?|credentials)\b/,
  /\b(?:you are now|act as|pretend to be|from now on you)\b.{0,40}\b(?:an? (?:ai|assistant|agent|model|dan|admin|system)|unrestricted|jailbroken|developer mode)\b/,
  /\b(?:attention|note to|message (?:to|for)|instructions? (?:to|for))\b.{0,15}\b(?:ai|llm|language models?|assistants?|agents?|crawlers? and ai)\b.{0,5}[:,-]/,
  /\b(?:ai|llm|assistant|agent|language model)s?\b.{0,20}\b(?:reading|processing|summari[sz]ing|visiting|parsing) this\b.{0,40}\b(?:must|should|shall|are required|have to|please)\b/,
  /<\/?(?:system|im_start|im_end|\|im_start\|)>|\[\/?(?:inst|system)\]|<\|(?:im_start|system|endoftext)\|>/,
  /\b(?:call|use|invoke|run|execute)\b.{0,15}\b(?:the )?[\w-]{2,30} (?:tool|function)\b.{0,40}\b(?:with|now|immediately|to send|to fetch)\b/,
];

const SPAN_CHARS = 400;

/**
 * Signs that a text speaks to a language model: the places that look like it, at most five. Rules find what is said in
 * known ways, and no more; that nothing was found proves nothing.
 */
export function findPromptInjection(text: string): string[] {
  const found: string[] = [];
  for (const line of foldText(text).split(/\n+|(?<=[.!?])\s+/)) {
    const span = line.slice(0, SPAN_CHARS);
    if (SIGNS.some((sign) => sign.test(span))) found.push(span.trim());
    if (found.length >= 5) break;
  }
  return found;
}
