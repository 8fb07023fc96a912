import type { WorkBudget } from "../../../core/work-budget.ts";
import type { DocumentContent, PageBlocks, PdfOptions } from "../document-content.ts";
import { htmlToMarkdown } from "../html/html-to-markdown.ts";
import { escapeHtml } from "../html/html-text.ts";
import type { Block } from "./block.ts";
import { linesOf } from "./block.ts";
import { blocksToHtml, toLayoutBlock } from "./blocks-to-html.ts";
import { type Vocabulary, wholeWords } from "./join-lines.ts";
import { layoutBlocks } from "./layout-blocks.ts";
import { withMonospacedProse } from "./monospaced-prose.ts";
import { toPageHtml } from "../vision/vision-text.ts";
import { withoutRunningHeads } from "./running-heads.ts";
import type { Aside, Line, PageText } from "./text-run.ts";
import { typeScale } from "./type-scale.ts";

/** Lays out the text of pages: headings, paragraphs, lists and tables, as Markdown and HTML. */
export function toContent(
  pages: PageText[],
  url: string,
  options: PdfOptions,
  budget: WorkBudget,
): Pick<DocumentContent, "markdown" | "html" | "pages" | "blocks"> {
  const words = vocabularyOf(pages);
  const scale = typeScale(pages);
  const analysed = withMonospacedProse(withoutRunningHeads(pages)).map((page) => ({
    page,
    regions: page.regions.map((lines) => layoutBlocks(lines, scale, budget, page.rules)),
  }));
  const isPaged = options.pages === true || options.pageMarkers === true || options.blocks === true;
  for (const stretch of stretchesOf(analysed, isPaged)) joinBroken(stretch.flatMap(({ regions }) => regions));
  const laidOut = analysed.map(({ page, regions }) => ({ page, blocks: regions.flat() }));

  const parts = stretchesOf(laidOut, isPaged).map((stretch) => partOf(stretch, words, url));
  const perPage = parts.map(({ markdown }) => markdown);
  return {
    markdown: options.pageMarkers === true ? withMarkers(perPage) : perPage.filter((text) => text !== "").join("\n\n"),
    html: parts.map(({ html }) => html).join("\n"),
    ...(options.pages === true ? { pages: perPage.map((markdown, at) => ({ pageNumber: at + 1, markdown })) } : {}),
    ...(options.blocks === true ? { blocks: laidOut.map((each) => toPageBlocks(each.page, each.blocks, words)) } : {}),
  };
}

/** Returns the pages that are laid out together: each alone, or those between the pages that a vision model wrote. */
function stretchesOf<Laid extends { page: PageText }>(pages: readonly Laid[], isPaged: boolean): Laid[][] {
  const stretches: Laid[][] = [];
  for (const each of pages) {
    const last = stretches.at(-1);
    const isJoined = !isPaged && each.page.written === undefined && last?.at(-1)?.page.written === undefined;
    if (last !== undefined && isJoined) last.push(each);
    else stretches.push([each]);
  }
  return stretches;
}

function partOf(
  stretch: readonly { page: PageText; blocks: readonly Block[] }[],
  words: Vocabulary,
  url: string,
): { markdown: string; html: string } {
  const written = stretch[0]?.page.written;
  if (written !== undefined) return { markdown: written, html: toPageHtml(written, url) };
  const html = stretch.map(({ page, blocks }) => blocksToHtml(blocks, words) + asidesToHtml(page.asides)).join("\n");
  return { markdown: htmlToMarkdown(html, url), html };
}

/** Joins a sentence that the end of a column or of a page cut with the block in which it began. */
function joinBroken(regions: Block[][]): void {
  let last: Block | undefined;
  for (const blocks of regions) {
    const first = blocks[0];
    if (last?.type === "table" && first?.type === "table" && continuesTable(last, first)) {
      addRows(last, first);
      blocks.shift();
    } else if (last !== undefined && first?.type === "paragraph" && goesOn(last, first.lines[0])) {
      const lines = last.type === "list" ? last.items.at(-1)?.lines : linesOf(last);
      for (const line of first.lines) lines?.push(line);
      blocks.shift();
    }
    last = blocks.at(-1) ?? last;
  }
}

type Table = Extract<Block, { type: "table" }>;

/** Reports whether a table at a page's start has the columns of the one at the end of the page before. */
function continuesTable(last: Table, first: Table): boolean {
  const [above, below] = [linesOf(last), linesOf(first)].map((lines) => ({
    left: Math.min(...lines.map((line) => line.left)),
    right: Math.max(...lines.map((line) => line.right)),
  }));
  const isAlike = (one = 0, other = 0): boolean => Math.abs(one - other) < 20;
  const isAbove = (linesOf(last).at(-1)?.baseline ?? 0) > (linesOf(first)[0]?.baseline ?? 0);
  return (
    isAbove &&
    last.columns === first.columns &&
    isAlike(above?.left, below?.left) &&
    isAlike(above?.right, below?.right)
  );
}

/** Adds the rows of a continued table, without the head that is repeated. */
function addRows(last: Table, first: Table): void {
  const textOf = (row: readonly Line[] = []): string => row.map((line) => line.text).join("\n");
  const start = textOf(last.rows[0]) === textOf(first.rows[0]) ? 1 : 0;
  for (const row of first.rows.slice(start)) last.rows.push(row);
  for (const row of first.cells.slice(start)) last.cells.push(row);
}

function goesOn(last: Block, start: Line | undefined): boolean {
  if ((last.type !== "paragraph" && last.type !== "list") || start === undefined) return false;
  const end = linesOf(last).at(-1);
  if (end === undefined || Math.abs(end.size - start.size) > 0.5) return false;
  return /[\p{L}\p{N},;-]$/u.test(end.text) && /^\p{Ll}/u.test(start.text);
}

function withMarkers(pages: readonly string[]): string {
  return pages
    .map((markdown, at) => (at === 0 ? markdown : `---\n\n<!-- page ${at + 1} -->\n\n${markdown}`.trim()))
    .join("\n\n");
}

function asidesToHtml(asides: readonly Aside[]): string {
  const text = asides
    .map((aside) => aside.text)
    .join(" ")
    .replace(/\s+/g, " ")
    .trim();
  return text === "" ? "" : `\n<p>${escapeHtml(text)}</p>`;
}

function toPageBlocks(page: PageText, blocks: readonly Block[], words: Vocabulary): PageBlocks {
  return {
    pageNumber: page.pageNumber,
    width: page.width,
    height: page.height,
    blocks: blocks.map((block) => toLayoutBlock(block, words)),
  };
}

function vocabularyOf(pages: readonly PageText[]): Vocabulary {
  const words = new Set<string>();
  for (const line of pages.flatMap((page) => page.regions.flat())) {
    for (const word of wholeWords(line.text.toLowerCase())) words.add(word);
  }
  return words;
}
