import type { WorkBudget } from "../../../core/work-budget.ts";
import type { DocumentContent, Figure, PageBlocks, PdfOptions } from "../document-content.ts";
import { htmlToMarkdown } from "../html/html-to-markdown.ts";
import { escapeHtml } from "../html/html-text.ts";
import type { Block } from "./block.ts";
import { type BlockWriters, blocksToHtml, mergedTable, toLayoutBlock } from "./blocks-to-html.ts";
import { type Vocabulary, wholeWords } from "./join-lines.ts";
import { joinBroken } from "./join-broken.ts";
import { layoutRegion } from "./layout-region.ts";
import { withMonospacedProse } from "./monospaced-prose.ts";
import { toPageHtml } from "../vision/vision-text.ts";
import { withoutRunningHeads } from "./running-heads.ts";
import type { Aside, PageText } from "./text-run.ts";
import { typeScale } from "./type-scale.ts";

/** Lays out the text of pages: headings, paragraphs, lists and tables, as Markdown and HTML. */
export function toContent(
  pages: PageText[],
  url: string,
  options: PdfOptions,
  budget: WorkBudget,
): Pick<DocumentContent, "markdown" | "html" | "pages" | "blocks" | "figures"> {
  const words = vocabularyOf(pages);
  const scale = typeScale(pages);
  const analysed = withMonospacedProse(withoutRunningHeads(pages)).map((page) => ({
    page,
    regions: page.regions.map((lines) => layoutRegion(lines, page, { scale, budget })),
  }));
  const isPaged = options.pages === true || options.pageMarkers === true || options.blocks === true;
  for (const stretch of stretchesOf(analysed, isPaged)) joinBroken(stretch.flatMap(({ regions }) => regions));
  const laidOut = analysed.map(({ page, regions }) => ({ page, blocks: regions.flat() }));

  const parts = stretchesOf(laidOut, isPaged).map((stretch) => partOf(stretch, { words, url, tables: options.tables }));
  const perPage = parts.map(({ markdown }) => markdown);
  return {
    markdown: options.pageMarkers === true ? withMarkers(perPage) : perPage.filter((text) => text !== "").join("\n\n"),
    html: parts.map(({ html }) => html).join("\n"),
    ...(options.pages === true ? { pages: perPage.map((markdown, at) => ({ pageNumber: at + 1, markdown })) } : {}),
    ...(options.figures === true ? { figures: figuresOf(pages) } : {}),
    ...(options.blocks === true ? { blocks: laidOut.map((each) => toPageBlocks(each.page, each.blocks, words)) } : {}),
  };
}

/** Maximum number of figures that are listed for one document. */
const MAX_FIGURES = 1_000;

function figuresOf(pages: readonly PageText[]): Figure[] {
  const round = (value: number): number => Math.round(value * 10) / 10;
  return pages
    .flatMap(({ pageNumber, pictures = [], turn = 0 }) =>
      pictures.map(({ left, top, right, bottom, width, height }): Figure => {
        return {
          pageNumber,
          bbox: [round(left), round(top), round(right), round(bottom)],
          width,
          height,
          rotation: turn,
        };
      }),
    )
    .slice(0, MAX_FIGURES);
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
  { words, url, tables }: { words: Vocabulary; url: string; tables: PdfOptions["tables"] },
): { markdown: string; html: string } {
  const written = stretch[0]?.page.written;
  if (written !== undefined) return { markdown: written, html: toPageHtml(written, url) };
  const write = (writers?: BlockWriters): string =>
    stretch.map(({ page, blocks }) => blocksToHtml(blocks, words, writers) + asidesToHtml(page.asides)).join("\n");
  const pieces: string[] = [];
  const keep = (piece: string): string => `<p>${PIECE_MARK}${pieces.push(piece) - 1}${PIECE_MARK}</p>`;
  const table = tables === "html" ? { table: (cells: Table["cells"]) => keep(mergedTable(cells, words)) } : {};
  const marked = write({ ...table, formula: (latex) => keep(`$$${latex}$$`) });
  const markdown = htmlToMarkdown(marked, url).replace(MARKED_PIECE, (_, at: string) => pieces[Number(at)] ?? "");
  // Without pieces both are the same.
  if (pieces.length === 0) return { markdown, html: marked };
  const html = write(tables === "html" ? { table: (cells) => mergedTable(cells, words) } : {});
  return { markdown, html };
}

type Table = Extract<Block, { type: "table" }>;

/** Delimits a placeholder for Markdown in HTML that is converted to Markdown: a private-use character, which text does not contain here. */
const PIECE_MARK = "\uE0FF";
const MARKED_PIECE = /\uE0FF(\d+)\uE0FF/g;

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
