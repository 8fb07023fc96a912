import { decodeHTMLStrict } from "entities/decode";

/** Characters that are not part of markup: letters, marks, currencies, and typographic punctuation and spaces. */
const PLAIN =
  /^[\p{L}\p{M}\p{Sc}\u00a0\u00a1\u00a9\u00ab\u00ae\u00b0\u00b7\u00bb\u00bf\u2010-\u2027\u2030-\u203a\u2122]+$/u;
const ENTITY = /&(?:[a-z][a-z\d]{1,31}|#x[\da-f]{2,6}|#\d{2,7});/gi;

/**
 * Decodes the entities of letters, currencies and typographic characters in a text that has been decoded before, since
 * sites escape some texts twice. Entities of markup (`&lt;`, `&amp;`, `&quot;`) stay: such a text may be about them.
 */
export function decodeLetters(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(ENTITY, (entity) => {
    const character = decodeHTMLStrict(entity);
    return PLAIN.test(character) ? character : entity;
  });
}
