/** Elements without an end tag. */
const VOID = new Set(["br", "img", "input", "hr", "wbr", "col"]);
/** A tag, of which attributes have no angle brackets: the readers of documents escape them. */
const TAG = /<(\/?)([a-z][\w:-]*)(?![\w:-])[^<>]*>/gi;
const BLOCKS = "p|h[1-6]|table|blockquote|pre|div";
const LISTS = "ul|ol|dl";
const BLOCK = new RegExp(`^(?:${BLOCKS})$`);
const LIST = new RegExp(`^(?:${LISTS})$`);
const BLOCK_FOLLOWS = new RegExp(`\\s*<(?:${BLOCKS})[ >]`, "y");
const ANY_FOLLOWS = new RegExp(`\\s*<(?:${BLOCKS}|${LISTS})[ >]`, "y");
/** Code of which a part may not be what it is in the whole. */
const UNKNOWN = /<(?![/a-z])/i;

/**
 * Splits the HTML of a document between two blocks that no other element holds, into parts of some length in characters at
 * least; one part where elements overlap or do not end. In linear time.
 */
export function* htmlParts(html: string, length: number): Generator<string> {
  let from = 0;
  for (const end of html.length <= length || UNKNOWN.test(html) ? [] : blockEnds(html)) {
    if (end - from < length) continue;
    yield html.slice(from, end);
    from = end;
  }
  if (from < html.length || from === 0) yield html.slice(from);
}

/** Yields the ends of blocks and lists that another one follows, but for two lists, up to the first element that overlaps another. */
function* blockEnds(html: string): Generator<number> {
  const open: string[] = [];
  for (const { 0: tag, 1: slash, 2: written = "", index } of html.matchAll(TAG)) {
    const name = written.toLowerCase();
    if (tag.endsWith("/>") || VOID.has(name)) continue;
    if (slash === "") {
      open.push(name);
      continue;
    }
    if (open.pop() !== name) return;
    const end = index + tag.length;
    if (open.length > 0) continue;
    // Two lists may be one.
    const follows = BLOCK.test(name) ? ANY_FOLLOWS : LIST.test(name) ? BLOCK_FOLLOWS : undefined;
    if (follows === undefined) continue;
    follows.lastIndex = end;
    if (follows.test(html)) yield end;
  }
}
