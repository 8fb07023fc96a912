import { decodeHTMLStrict } from "entities/decode";
import { decodeLetters } from "../../text/decode-letters.ts";

/** Decodes the entities that sites leave in JSON by mistake, and removes tags around texts. */
export function decodeEntities(text: string): string {
  if (!/[<&]/.test(text)) return text;
  const plain = text.replace(/<\/?(?:p|br|li|ul|ol|strong|em|b|i|u|a|small|font|span|div|h\d)\b[^<>]*>/gi, " ");
  return decodeLetters(decodeHTMLStrict(plain)).replaceAll("\u00a0", " ");
}
