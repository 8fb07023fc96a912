import { estimateTokens } from "../../core/text/tokens.ts";

/** Part of a text: exactly the characters between the two positions. */
export interface TextPart {
  text: string;
  start: number;
  end: number;
}

/** Breaks of a text, best first: before a heading, between paragraphs, between lines, after a sentence, at a space. */
const BREAKS = [/\n(?=#{1,6}\s)/g, /\n\s*\n/g, /\n/g, /(?<=[.!?。！？])\s*/g, /\s/g];
/** Minimum share of the allowed length in a part, where a break allows it. */
const LEAST = 0.5;

/**
 * Cuts a text into parts of at most `maxTokens` tokens (as estimated), at its best breaks. Nothing is left out before the
 * end of part `maxParts`, where the work ends.
 */
export function splitText(text: string, maxTokens: number, maxParts = Infinity): TextPart[] {
  const parts: TextPart[] = [];
  let start = 0;
  while (start < text.length && parts.length < maxParts) {
    const end = endOfPart(text, start, maxTokens);
    parts.push({ text: text.slice(start, end), start, end });
    start = end;
  }
  return parts;
}

/** Returns the length of the longest part of `maxTokens` tokens. */
export function maxCharsOf(maxTokens: number): number {
  return Math.max(1, Math.floor(maxTokens * 3.6));
}

function endOfPart(text: string, start: number, maxTokens: number): number {
  const rest = text.length - start;
  let chars = Math.min(rest, maxCharsOf(maxTokens));
  while (chars > 1 && estimateTokens(text.slice(start, start + chars)) > maxTokens) chars = Math.floor(chars * 0.8);
  if (chars >= rest) return text.length;
  const window = text.slice(start, start + chars);
  const least = Math.floor(chars * LEAST);
  for (const pattern of BREAKS) {
    const places = [...window.matchAll(pattern)].map((match) => match.index + match[0].length);
    const last = places.findLast((place) => place >= least);
    if (last !== undefined) return start + last;
  }
  return start + chars;
}
