import type { WorkBudget } from "../../../core/work-budget.ts";
import type { DocumentContent, Figure, PageBlocks, PdfOptions } from "../document-content.ts";
import type { Block } from "./block.ts";
import { toLayoutBlock } from "./writing/blocks-to-html.ts";
import { joinBroken } from "./join-broken.ts";
import { layoutRegion } from "./layout-region.ts";
import { monospacedProse } from "./monospaced-prose.ts";
import { withoutRunningHeads } from "./running-heads.ts";
import type { PageText } from "./text-run.ts";
import { typeScale } from "./type-scale.ts";
import { Vocabulary } from "./vocabulary.ts";
import { WrittenStretch } from "./writing/written-stretch.ts";

type Content = Pick<DocumentContent, "markdown" | "html" | "pages" | "blocks" | "figures">;

/** A page that is laid out, by regions. */
interface LaidOut {
  page: PageText;
  regions: Block[][];
}

/**
 * Lays out the text of pages: headings, paragraphs, lists and tables, as Markdown and HTML. Page after page is laid out and written,
 * so that the layout of a long document is not in memory as a whole.
 * @param pages are turned over several times
 */
export function toContent(pages: Iterable<PageText>, url: string, options: PdfOptions, budget: WorkBudget): Content {
  const words = new Vocabulary(regionsOf(pages));
  const scale = typeScale(pages);
  const texts = withoutRunningHeads(pages, scale);
  const asProse = monospacedProse(texts);
  const laidOut = function* (): Generator<LaidOut> {
    for (const text of texts) {
      const page = asProse(text);
      yield { page, regions: page.regions.map((lines) => layoutRegion(lines, page, { scale, budget })) };
    }
  };

  const isPaged = options.pages === true || options.pageMarkers === true || options.blocks === true;
  const context = { words, url, tables: options.tables };
  const parts: { markdown: string; html: string }[] = [];
  const blocks: PageBlocks[] = [];
  for (const stretch of stretchesOf(laidOut(), isPaged)) {
    const written = new WrittenStretch(context);
    for (const each of joinedPages(stretch)) {
      const own = each.regions.flat();
      written.add(each.page, own);
      if (options.blocks === true) blocks.push(toPageBlocks(each.page, own, words));
    }
    parts.push(written.end());
  }
  const perPage = parts.map(({ markdown }) => markdown);
  return {
    markdown: options.pageMarkers === true ? withMarkers(perPage) : perPage.filter((text) => text !== "").join("\n\n"),
    html: parts.map(({ html }) => html).join("\n"),
    ...(options.pages === true ? { pages: perPage.map((markdown, at) => ({ pageNumber: at + 1, markdown })) } : {}),
    ...(options.figures === true ? { figures: figuresOf(pages) } : {}),
    ...(options.blocks === true ? { blocks } : {}),
  };
}

/** Maximum number of figures that are listed for one document. */
export const MAX_FIGURES = 1_000;

function figuresOf(pages: Iterable<PageText>): Figure[] {
  const round = (value: number): number => Math.round(value * 10) / 10;
  const figures: Figure[] = [];
  for (const { pageNumber, pictures = [], turn = 0 } of pages) {
    for (const { left, top, right, bottom, width, height } of pictures) {
      const bbox: Figure["bbox"] = [round(left), round(top), round(right), round(bottom)];
      figures.push({ pageNumber, bbox, width, height, rotation: turn });
    }
  }
  return figures.slice(0, MAX_FIGURES);
}

/**
 * Parts pages into those that are written together: each alone, or those between the pages that a vision model wrote. Each stretch
 * is to be taken to its end before the next one.
 */
function* stretchesOf(pages: Iterator<LaidOut, undefined>, isPaged: boolean): Generator<Iterable<LaidOut>> {
  let next = pages.next();
  const stretch = function* (): Generator<LaidOut> {
    while (next.done !== true) {
      const each = next.value;
      next = pages.next();
      yield each;
      const isAlone = isPaged || each.page.written !== undefined;
      if (isAlone || next.done === true || next.value.page.written !== undefined) return;
    }
  };
  while (next.done !== true) yield stretch();
}

/** Joins sentences over the ends of pages. Yields each page once no later one changes it. */
function* joinedPages(pages: Iterable<LaidOut>): Generator<LaidOut> {
  let open: LaidOut[] = [];
  let last: Block | undefined;
  for (const each of pages) {
    last = joinBroken(each.regions, last);
    open.push(each);
    const end = open.findLastIndex(({ regions }) => regions.some((blocks) => blocks.some((block) => block === last)));
    if (end > 0) {
      yield* open.slice(0, end);
      open = open.slice(end);
    }
  }
  yield* open;
}

function withMarkers(pages: readonly string[]): string {
  return pages
    .map((markdown, at) => (at === 0 ? markdown : `---\n\n<!-- page ${at + 1} -->\n\n${markdown}`.trim()))
    .join("\n\n");
}

function toPageBlocks(page: PageText, blocks: readonly Block[], words: Vocabulary): PageBlocks {
  return {
    pageNumber: page.pageNumber,
    width: page.width,
    height: page.height,
    blocks: blocks.map((block) => toLayoutBlock(block, words)),
  };
}

function* regionsOf(pages: Iterable<PageText>): Generator<PageText["regions"][number]> {
  for (const { regions } of pages) yield* regions;
}
