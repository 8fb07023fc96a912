/** The start of a line that begins a list item. */
export interface ListMarker {
  number: number | undefined;
  /** Characters of the marker, white space not counted. */
  length: number;
}

const BULLET = /^([•◦▪▫■□●○‣⁃∙·–—*\uf0b7\uf0a7-])\s+(?=\S)/u;
const NUMBER = /^\(?(\d{1,3})[.)]\s+(?=\S)/;
/** Signs as wide as letters of East Asia, behind which no space is needed; `3．5` is a number. */
const WIDE_NUMBER = /^(?:(\d{1,3})[、．]|（(\d{1,3})）)\s*(?=[^\s\d])/;

/** Reads the bullet or number at the start of a line; undefined when there is none. */
export function listMarker(text: string): ListMarker | undefined {
  const bullet = BULLET.exec(text);
  if (bullet !== null) return { number: undefined, length: bullet[0].trim().length };
  const number = NUMBER.exec(text) ?? WIDE_NUMBER.exec(text);
  return number === null ? undefined : { number: Number(number[1] ?? number[2]), length: number[0].trim().length };
}

/** A page number, and the last dots and spaces in front of it. */
const MAX_LEADER_END = 100;

/** Reports whether a line is an entry, leader dots and a page number. */
export function isTableOfContentsLine(text: string): boolean {
  return /(\.\s?){5,}\s*[\divxlc]+$/i.test(text.slice(-MAX_LEADER_END));
}

/** Reports whether a line starts with an unambiguous bullet, so that also a line in a fixed-width font is an item. */
export function startsWithBullet(text: string): boolean {
  return /^[•◦▪▫■□●○‣⁃∙]/u.test(text);
}
