/** A part of a long text that is rendered by itself. The texts of all pieces together are the whole text. */
export interface Piece {
  text: string;
  /** Offset of the piece in the whole text, in UTF-16 units. */
  start: number;
  /** Markdown to render before and after the text, such as the head of a table that was cut. */
  before: string;
  after: string;
}

/** Cuts a text at line ends into pieces of about `size` characters; a longer line is cut as well. */
export function cutText(text: string, size: number): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    const end = cutAt(text, start, size);
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

function cutAt(text: string, start: number, size: number): number {
  if (text.length - start <= size) return text.length;
  const line = text.slice(start, start + size + 1).lastIndexOf("\n");
  if (line >= 0) return start + line + 1;
  // Does not cut a surrogate pair.
  const end = start + size;
  return /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) ? end + 1 : end;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const TABLE_RULE = /^[\s|:-]*$/;
const DEFINITION = /^ {0,3}\[[^\]]+\]:\s+\S+/;
/** A block longer than this many pieces is cut inside. */
const MAX_BLOCK_PIECES = 4;
const MAX_DEFINITIONS = 500;

/** State of the block at the current line. */
interface Block {
  /** Opening line of a code block. */
  fence: string | undefined;
  /** Head and rule of a table. */
  head: string | undefined;
}

/**
 * Cuts Markdown between blocks into pieces of about `size` characters. Code blocks and tables that are much longer are cut
 * inside and continued. Every piece has the definitions of the whole text's link references.
 * @param firstSize Size of the first piece, which is rendered before anything is seen.
 */
export function cutMarkdown(markdown: string, size: number, firstSize = size): Piece[] {
  const pieces: Piece[] = [];
  const definitions: string[] = [];
  const block: Block = { fence: undefined, head: undefined };
  let current: Piece = { text: "", start: 0, before: "", after: "" };
  let offset = 0;
  let previous = "";
  const close = (after: string, before: string): void => {
    pieces.push({ ...current, text: markdown.slice(current.start, offset), after });
    current = { text: "", start: offset, before, after: "" };
  };
  while (offset < markdown.length) {
    const end = markdown.indexOf("\n", offset) + 1 || markdown.length;
    const line = markdown.slice(offset, end);
    const length = offset - current.start;
    const wanted = pieces.length === 0 ? firstSize : size;
    if (length >= wanted && isBetweenBlocks(block, previous, line)) close("", "");
    else if (length >= wanted * MAX_BLOCK_PIECES) close(endOf(block), startOf(block));
    readLine(block, previous, line);
    if (block.fence === undefined && definitions.length < MAX_DEFINITIONS && DEFINITION.test(line))
      definitions.push(line);
    previous = line;
    offset = end;
  }
  if (offset > current.start || pieces.length === 0) close("", "");
  if (pieces.length === 1 || definitions.length === 0) return pieces;
  return pieces.map((piece) => ({ ...piece, after: `${piece.after}\n\n${definitions.join("")}` }));
}

function isBetweenBlocks({ fence }: Block, previous: string, line: string): boolean {
  return fence === undefined && previous.trim() === "" && /^\S/.test(line);
}

function readLine(block: Block, previous: string, line: string): void {
  const fence = FENCE.exec(line)?.[1];
  if (block.fence !== undefined) {
    const marker = FENCE.exec(block.fence)?.[1] ?? "";
    if (fence?.startsWith(marker) === true && line.trim() === fence) block.fence = undefined;
  } else if (fence !== undefined) block.fence = line;
  else if (line.trim() === "") block.head = undefined;
  else if (previous.includes("|") && line.includes("-") && TABLE_RULE.test(line)) block.head = previous + line;
}

function endOf({ fence }: Block): string {
  return fence === undefined ? "" : `\n${FENCE.exec(fence)?.[1] ?? ""}\n`;
}

function startOf({ fence, head }: Block): string {
  return fence ?? head ?? "";
}
