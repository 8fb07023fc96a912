import type { Block } from "./block.ts";

/**
 * Puts the link of a card on its heading, or its first line, or its first picture.
 * @param address escaped, as it is to be written
 * @returns false where none of these exists
 */
export function linkCard(blocks: readonly Block[], address: string): boolean {
  const bearer = blocks.find(({ kind }) => kind === "heading") ?? blocks.find(isCaption) ?? blocks.find(isText);
  if (bearer === undefined) return false;
  const [, mark = "", shown = ""] = /^(#{1,6} )?([\s\S]*)$/.exec(bearer.text) ?? [];
  bearer.text = `${mark}[${shown.replace(/(?<!\s)\s*\n\s*/g, " ")}](${address})`;
  return true;
}

function isCaption({ kind, text }: Block): boolean {
  return kind === "text" && !text.startsWith("![");
}

function isText({ kind }: Block): boolean {
  return kind === "text";
}

/** Markers of items, of tasks and of headings in items. */
const ITEM_LINE = /^((?: *(?:[-*+]|\d{1,9}[.)]) )+(?:\[[ x]\] )?(?:#{1,6} )?)(.+)$/;
/** Starts of blocks in which no link can be; two spaces at the end separate lines of one paragraph. */
const NO_TEXT = /^(?:```|[|>$]|---$)| {2}$/;

/** Puts the link of a card that holds lists alone on the first item of a single line. */
export function linkItem(blocks: readonly Block[], address: string): void {
  for (const block of blocks) {
    if (block.kind !== "list") continue;
    const lines = block.text.split("\n");
    const index = lines.findIndex((line, at) => isWholeItem(line, lines[at + 1]));
    if (index === -1) continue;
    lines[index] =
      lines[index]?.replace(ITEM_LINE, (_, mark: string, shown: string) => `${mark}[${shown}](${address})`) ?? "";
    block.text = lines.join("\n");
    return;
  }
}

function isWholeItem(line: string, next = ""): boolean {
  const shown = ITEM_LINE.exec(line)?.[2];
  return shown !== undefined && !NO_TEXT.test(shown) && (next === "" || ITEM_LINE.test(next));
}
