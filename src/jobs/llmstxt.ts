import { copyText } from "../core/text/copy-text.ts";
import { z } from "zod";
import { decodePercent } from "../core/url/decode-percent.ts";
import { centralPassages } from "../content/text/summarise.ts";
import { withoutPromptInjection } from "../content/text/prompt-injection.ts";
import { AppError } from "../core/errors.ts";
import { rankUrlsInPieces } from "../core/crawl/rank-urls.ts";
import { inParallel } from "./in-parallel.ts";
import { readWholePage, type ReadPage } from "./research/read-page.ts";
import type { StepKind, StepTools } from "./step-kind.ts";

/** Options of an llms.txt job. */
export const LlmstxtInput = z.object({ url: z.string(), maxUrls: z.number(), showFullText: z.boolean() });
export type LlmstxtInput = z.infer<typeof LlmstxtInput>;

export interface LlmstxtResult {
  llmstxt: string;
  llmsfulltxt?: string;
  warning?: string;
}

const AT_A_TIME = 4;
const DESCRIPTION_CHARS = 160;
/** Characters of the pages in the full text, while few jobs run: all of them are in memory at once. */
const MAX_FULL_TEXT_CHARS = 8_000_000;
/** Characters of a page without a description in which its most central passage is looked for. */
const MAX_RANKED_CHARS = 100_000;
const HOME_SECTION = "Pages";
/** First path segments of pages for the section “Optional”, which a reader may skip (llmstxt.org). */
const OPTIONAL =
  /^(?:legal|privacy|terms|imprint|impressum|cookies?|login|signup|register|careers?|jobs|tags?|author|archive)s?$/i;

/**
 * Describes a site in the format of llmstxt.org: its name, a description, and its pages with a sentence each, in
 * sections by the first segment of their paths.
 */
export const llmstxt: StepKind<LlmstxtInput, LlmstxtResult> = {
  name: "llmstxt",
  input: LlmstxtInput,

  async run({ url, maxUrls, showFullText }, tools) {
    const warnings: string[] = [];
    const urls = await findUrls(url, { maxUrls, tools, warnings });
    const mostChars = showFullText ? Math.min(MAX_FULL_TEXT_CHARS, await tools.roomForPages()) : 0;
    let roomChars = mostChars;
    const outcomes = await inParallel(urls, AT_A_TIME, async (address, index) => {
      if (index > 0 && (await tools.isLate(`late ${address}`))) return undefined;
      const outcome = await readWholePage(tools, address, undefined);
      tools.show({ read: index + 1, total: urls.length });
      if (outcome.kind === "failed") return outcome;
      const page = toSitePage(outcome.value, roomChars);
      roomChars -= page.markdown?.length ?? 0;
      return { kind: "done" as const, value: page };
    });
    const pages = outcomes.flatMap((outcome) => (outcome?.kind === "done" ? [outcome.value] : []));
    for (const outcome of outcomes) if (outcome?.kind === "failed") warnings.push(outcome.message);
    const late = outcomes.filter((outcome) => outcome === undefined).length;
    if (late > 0) warnings.push(`${late} page(s) were not read: the time limit was reached.`);
    const cut = showFullText ? pages.filter(({ markdown }) => markdown === undefined).length : 0;
    if (cut > 0)
      warnings.push(
        `showFullText: the text of ${cut} page(s) is left out; llmsfulltxt has at most ${mostChars} characters of pages.`,
      );
    const [home] = pages;
    if (home === undefined)
      throw new AppError("EXTRACT_FAILED", ["No page of the site could be read.", ...new Set(warnings)].join(" "));
    return {
      llmstxt: describeSite(url, pages),
      ...(showFullText ? { llmsfulltxt: fullText(url, pages) } : {}),
      ...(warnings.length === 0 ? {} : { warning: [...new Set(warnings)].join(" ") }),
    };
  },
};

/** Parts of a page that are kept: texts and links of thousands of pages would take too much memory. */
interface SitePage extends Pick<ReadPage, "url" | "title"> {
  /** Description or most central passage; empty without either. */
  about: string;
  /** Text of the page for the full text; undefined where it has no room. */
  markdown: string | undefined;
}

function toSitePage(page: ReadPage, roomChars: number): SitePage {
  const markdown = page.markdown.trim();
  const { url, title } = page;
  const about = copyText(descriptionOf(page));
  return { url, title, about, markdown: markdown.length <= roomChars ? markdown : undefined };
}

/** Returns the given URL, then the site's other pages, short paths first: these usually describe the site. */
async function findUrls(
  url: string,
  { maxUrls, tools, warnings }: { maxUrls: number; tools: StepTools; warnings: string[] },
): Promise<string[]> {
  const requested = { url, limit: Math.max(100, maxUrls * 3), includeSubdomains: false, ignoreSitemap: false };
  const mapped = await tools.map("map", requested);
  if (mapped.kind === "failed") {
    warnings.push(mapped.message);
    return [url];
  }
  const depth = (address: string): number => new URL(address).pathname.split("/").filter((part) => part !== "").length;
  const ranked = await rankUrlsInPieces("documentation guide api reference about", mapped.value);
  const others = ranked
    .map((page) => page.url)
    .filter((address) => !isSame(address, url))
    .map((address, index) => ({ address, index }))
    .toSorted((left, right) => depth(left.address) - depth(right.address) || left.index - right.index);
  return [url, ...others.map(({ address }) => address)].slice(0, maxUrls);
}

function isSame(left: string, right: string): boolean {
  return left.replace(/\/$/, "") === right.replace(/\/$/, "");
}

function describeSite(url: string, pages: readonly SitePage[]): string {
  const [home] = pages;
  const name = home === undefined || home.title === "" ? new URL(url).host : siteName(home.title);
  const about = home?.about ?? "";
  const sections = new Map<string, SitePage[]>();
  for (const page of pages) {
    const section = sectionOf(page.url);
    sections.set(section, [...(sections.get(section) ?? []), page]);
  }
  const texts = [...sections]
    .toSorted(([left], [right]) => rankOf(left) - rankOf(right))
    .map(([section, list]) => `## ${section}\n\n${list.map(lineOf).join("\n")}`);
  return [`# ${name}`, ...(about === "" ? [] : [`> ${about}`]), ...texts].join("\n\n") + "\n";
}

function rankOf(section: string): number {
  return section === HOME_SECTION ? 0 : section === "Optional" ? 2 : 1;
}

/** Returns the site's name from the first page's title, which often ends with it. */
function siteName(title: string): string {
  const parts = title.split(/(?<!\s)\s+[|–—·»-]\s+/).map((part) => part.trim());
  return (parts.length > 1 ? parts.at(-1) : parts[0]) || title;
}

function sectionOf(url: string): string {
  const parts = new URL(url).pathname.split("/").filter((part) => part !== "");
  const [first = ""] = parts;
  if (OPTIONAL.test(first)) return "Optional";
  if (parts.length < 2) return HOME_SECTION;
  const words = decodePercent(first).replaceAll(/[-_]+/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function lineOf(page: SitePage): string {
  const title = (page.title === "" ? page.url : page.title).replaceAll(/[[\]]/g, "");
  const { about } = page;
  return `- [${title}](${page.url})${about === "" ? "" : `: ${about}`}`;
}

/** Returns the page's description or, without one, its most central passage. */
function descriptionOf({ description, markdown, title }: ReadPage): string {
  const choice = { count: 1, maxChars: DESCRIPTION_CHARS };
  const [passage] = description === "" ? centralPassages(markdown.slice(0, MAX_RANKED_CHARS), title, choice) : [];
  const text = (description === "" ? (passage?.text ?? "") : description).replace(/\s+/g, " ").trim();
  return withoutPromptInjection(text).removed > 0 ? "" : text;
}

function fullText(url: string, pages: readonly SitePage[]): string {
  const texts = pages.flatMap(({ title, url: address, markdown }) =>
    markdown === undefined ? [] : [`## ${title === "" ? address : title}\n\nSource: ${address}\n\n${markdown}`],
  );
  return `# ${new URL(url).host}: full text\n\n${texts.join("\n\n---\n\n")}\n`;
}
