/**
 * Tags and bytes of text whose conversion takes a tenth of a second. A tag takes some 1 to 7 µs of a core, a byte up to
 * 1 µs.
 */
const HEAVY = { tags: 20_000, bytes: 400_000 };
/** Bytes whose decoding takes as long, and tag starts in scripts: to look at one takes up to 0.1 µs here, and as much in the parser. */
const HEAVY_ALONE = { bytes: 4_000_000, skippedStarts: 500_000 };
/** Elements whose content is skipped in one step, whatever its length. */
const SKIPPED = ["script", "style"].map((name) => ({ start: toBytes(name), end: toBytes(`/${name}`) }));
const TAG_START = 60;
const TAG_END = 62;
const SLASH = 47;
const MAX_TAG_BYTES = 1_000;
const FIRST_LETTER = 115;
/** Bit by which capital and small letters differ. */
const CASE = 32;

/**
 * Reports whether the conversion of a page would use the processor for so long that other requests should not wait for
 * it. Looks at the tags alone, in any encoding whose letters are those of ASCII, and at no more than make a page heavy.
 */
export function isHeavy(page: Uint8Array | string): boolean {
  if (page.length >= HEAVY_ALONE.bytes) return true;
  const html = typeof page === "string" ? toBytes(page) : page;
  let tags = 0;
  let skipped = 0;
  const starts = { left: HEAVY_ALONE.skippedStarts };
  for (let at = html.indexOf(TAG_START); at !== -1; at = html.indexOf(TAG_START, at + 1)) {
    tags++;
    if (tags / HEAVY.tags + (at - skipped) / HEAVY.bytes >= 1) return true;
    // Both names begin with the same letter, and few others do.
    const mayBeSkipped = ((html[at + 1] ?? 0) | CASE) === FIRST_LETTER;
    const element =
      mayBeSkipped && !closesItself(html, at) ? SKIPPED.find(({ start }) => isAt(html, at + 1, start)) : undefined;
    if (element === undefined) continue;
    const end = endOf(html, at, element.end, starts);
    if (starts.left <= 0) return true;
    skipped += end - at;
    at = end;
  }
  return tags / HEAVY.tags + (html.length - skipped) / HEAVY.bytes >= 1;
}

/** True for a tag that closes itself, as in drawings: no end tag follows. */
function closesItself(html: Uint8Array, start: number): boolean {
  const tag = html.subarray(start, start + MAX_TAG_BYTES);
  return tag[tag.indexOf(TAG_END) - 1] === SLASH;
}

/** Returns the position of the end tag, or of the last byte; any other position when no more starts are left. */
function endOf(html: Uint8Array, start: number, tag: Uint8Array, starts: { left: number }): number {
  for (let at = html.indexOf(TAG_START, start + 1); at !== -1; at = html.indexOf(TAG_START, at + 1)) {
    starts.left--;
    if (starts.left <= 0 || isAt(html, at + 1, tag)) return at;
  }
  return html.length - 1;
}

function isAt(html: Uint8Array, at: number, word: Uint8Array): boolean {
  for (let index = 0; index < word.length; index++)
    if (((html[at + index] ?? 0) | CASE) !== ((word[index] ?? 0) | CASE)) return false;
  return true;
}

function toBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
