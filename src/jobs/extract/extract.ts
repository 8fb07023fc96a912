import { z } from "zod";
import { isEmpty } from "../../content/structured-data/schema/merge-values.ts";
import { AppError } from "../../core/errors.ts";
import type { Evidence } from "../../core/scrape/evidence.ts";
import type { JsonSchema } from "../../core/schema/json-schema.ts";
import { rankUrlsInPieces } from "../../core/crawl/rank-urls.ts";
import { keepsTls } from "../../core/url/portable-headers.ts";
import { isSameHost, isSameSite } from "../../core/url/registrable-domain.ts";
import { toAbsoluteUrl } from "../../core/url/url.ts";
import { evidenceField } from "../../formats/evidence-option.ts";
import { portableOptions } from "../../formats/portable-options.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import { cutDataNote, PagesBudget } from "../research/read-page.ts";
import { gatherPages, type PageData } from "./gather-pages.ts";
import { promptSchema } from "./prompt-schema.ts";
import { inParallel } from "../in-parallel.ts";
import type { FoundPage, StepKind, StepTools } from "../step-kind.ts";

/** Options of an extract job, with the field names of version 2. */
export const ExtractInput = z.object({
  /** URLs; one that ends with `/*` selects the pages below it. */
  urls: z.array(z.string()),
  prompt: z.string().optional(),
  systemPrompt: z.string().optional(),
  schema: z.record(z.string(), z.unknown()).optional(),
  /** Maximum number of pages. */
  limit: z.number().optional(),
  ignoreSitemap: z.boolean(),
  includeSubdomains: z.boolean(),
  enableWebSearch: z.boolean(),
  /** True when the result has `evidence`. */
  evidence: z.boolean().optional(),
  /** Validated when the job was started. */
  scrapeOptions: z.custom<ScrapeOptions>((value) => typeof value === "object" && value !== null),
});
export type ExtractInput = z.infer<typeof ExtractInput>;

export interface ExtractResult {
  /** Empty when nothing was found. */
  data: unknown;
  /** Pages that each top-level field of `data` comes from. */
  sources: Record<string, string[]>;
  /** Sources of the values, if requested. */
  evidence?: Evidence[];
  warning?: string;
}

/** Pages of a site without a limit of the request. */
const PAGES_OF_A_SITE = 10;
const MAX_PAGES = 100;
const PAGES_OF_A_SEARCH = 5;
const MAX_MAPPED = 1_000;
const AT_A_TIME = 4;

/** Extracts data by a schema or a prompt from several pages, which are given, found on a site, or found by a search. */
export const extract: StepKind<ExtractInput, ExtractResult> = {
  name: "extract",
  input: ExtractInput,

  async run(input, tools) {
    const warnings: string[] = [];
    const schema = input.schema ?? (await promptSchema(input, tools));
    const urls = await findPages(input, { tools, schema, warnings });
    const room = new PagesBudget(await tools.roomForPages());
    let toCome = urls.length;
    const pages = await inParallel(urls, AT_A_TIME, async (url) => {
      const page = await readPage(url, { input, schema, tools });
      const pagesToCome = toCome--;
      return page.kind === "read" ? { ...page, data: withinRoom(page.data, room, pagesToCome) } : page;
    });
    const read = pages.flatMap((page) => (page.kind === "read" ? [page.data] : []));
    for (const page of pages) if (page.kind === "failed") warnings.push(`${page.url}: ${page.message}.`);
    const skipped = pages.filter(({ kind }) => kind === "skipped").length;
    if (skipped > 0) warnings.push(`${skipped} page(s) were not read: the job's time limit was reached.`);
    if (read.length === 0) throw new AppError("EXTRACT_FAILED", ["No page could be read.", ...warnings].join(" "));
    const { data, evidence, sources, notes } = await gatherPages(read);
    const warning = [...new Set([...read.flatMap((page) => page.warning ?? []), ...warnings, ...notes])].join(" ");
    const nothing = schema?.["type"] === "array" ? [] : {};
    return {
      data: isEmpty(data) ? nothing : data,
      sources,
      ...evidenceField(evidence, input.evidence),
      ...(warning === "" ? {} : { warning }),
    };
  },
};

interface Finding {
  tools: StepTools;
  schema: JsonSchema | undefined;
  warnings: string[];
}

/** Returns the pages to read: the given ones, the best of each given site, and the results of a search. */
async function findPages(input: ExtractInput, { tools, schema, warnings }: Finding): Promise<string[]> {
  const requested = [input.prompt ?? "", ...propertyNames(schema)].join(" ");
  const found = new Set<string>();
  let maps = 0;
  let isCut = false;
  const most = Math.min(input.limit ?? MAX_PAGES, MAX_PAGES);
  const sites = input.urls.filter((url) => url.endsWith("/*"));
  // Given pages come before those that are found.
  for (const url of input.urls) if (!url.endsWith("/*")) found.add(toAbsoluteUrl(url));
  for (const [index, url] of sites.entries()) {
    const site = toAbsoluteUrl(url.slice(0, -1));
    // Its front page is then reported as not read.
    if (await tools.isLate(`late map ${maps++}`)) {
      found.add(site);
      continue;
    }
    const mapped = await tools.map(`map ${site}`, {
      url: site,
      limit: MAX_MAPPED,
      includeSubdomains: input.includeSubdomains,
      ignoreSitemap: input.ignoreSitemap,
    });
    if (mapped.kind === "failed") warnings.push(`${url}: ${mapped.message}.`);
    const pages =
      mapped.kind === "done" ? mapped.value.filter((page) => isBelow(page.url, site, input.includeSubdomains)) : [];
    const ranked = await rankUrlsInPieces(requested, pages);
    const share = input.limit === undefined ? PAGES_OF_A_SITE : shareOf(input, most - found.size, sites.length - index);
    const best = ranked.slice(0, share);
    isCut ||= ranked.length > share;
    for (const page of best.length > 0 ? best : [{ url: site }]) found.add(page.url);
  }
  if (input.enableWebSearch || input.urls.length === 0)
    for (const page of await searched(input, { tools, requested, warnings })) found.add(page.url);
  const urls = [...found];
  if (isCut && (input.limit ?? 0) > MAX_PAGES)
    warnings.push(`limit: it was lowered to ${MAX_PAGES}, the most pages that an extract reads.`);
  if (urls.length > most) warnings.push(`${urls.length - most} page(s) beyond the limit of ${most} were left out.`);
  return urls.slice(0, most);
}

/** Returns how many pages of the next of several sites are read: an equal share of what the limit leaves. */
function shareOf({ enableWebSearch }: ExtractInput, left: number, sites: number): number {
  return Math.max(1, Math.ceil((left - (enableWebSearch ? PAGES_OF_A_SEARCH : 0)) / sites));
}

async function searched(
  input: ExtractInput,
  { tools, requested, warnings }: { tools: StepTools; requested: string; warnings: string[] },
): Promise<FoundPage[]> {
  const { prompt = "" } = input;
  const query = (prompt.trim() === "" ? requested : prompt).slice(0, 300);
  if (query.trim() === "") return [];
  const answer = await tools.search(`search ${query}`, { query, limit: PAGES_OF_A_SEARCH });
  if (answer.kind === "done") return answer.value;
  warnings.push(`The web could not be searched: ${answer.message}.`);
  return [];
}

function isBelow(url: string, site: string, includeSubdomains: boolean): boolean {
  const page = new URL(url);
  const base = new URL(site);
  const isHost =
    isSameHost(page.host, base.host) ||
    (includeSubdomains && page.host.endsWith(`.${base.host.replace(/^www\./, "")}`));
  return isHost && `${page.pathname}/`.replace(/\/\/$/, "/").startsWith(base.pathname);
}

type PageOutcome =
  | { kind: "read"; data: PageData }
  | { kind: "failed"; url: string; message: string }
  | { kind: "skipped" };

interface Reading {
  input: ExtractInput;
  schema: JsonSchema | undefined;
  tools: StepTools;
}

async function readPage(url: string, { input, schema, tools }: Reading): Promise<PageOutcome> {
  if (await tools.isLate(`late ${url}`)) return { kind: "skipped" };
  const { prompt, systemPrompt, scrapeOptions } = input;
  const format = {
    type: "json" as const,
    // The sources of the result are made from it.
    evidence: true,
    ...(schema === undefined ? {} : { schema }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
  };
  // A page that a search has found may belong to anybody.
  const own = isOfRequest(url, input) ? scrapeOptions : portableOptions(scrapeOptions);
  const page = await tools.scrape(`scrape ${url}`, { url, options: { ...own, formats: [format] } });
  if (page.kind === "failed") return { kind: "failed", url, message: page.message.replace(/\.$/, "") };
  const { json, evidence = [], warning, metadata } = page.value;
  return { kind: "read", data: { url: metadata.url ?? url, value: json ?? undefined, evidence, warning } };
}

/** Reports whether a page belongs to the site of a URL that was given. */
function isOfRequest(url: string, { urls }: ExtractInput): boolean {
  const page = URL.parse(url);
  return urls.some((given) => {
    const site = URL.parse(toAbsoluteUrl(given));
    return page !== null && site !== null && isSameSite(page, site) && keepsTls(page, site);
  });
}

/** Returns data as far as there is room for them. Pages that arrive earlier have more of it. */
function withinRoom(read: PageData, room: PagesBudget, pagesToCome: number): PageData {
  const { data, bytes, isCut } = room.fitData(read, pagesToCome);
  if (!isCut) return data;
  const { url, warning } = data;
  return { ...data, warning: [...(warning === undefined ? [] : [warning]), cutDataNote(url, bytes)].join(" ") };
}

export function propertyNames(schema: JsonSchema | undefined, depth = 0): string[] {
  const properties = schema?.["properties"];
  if (typeof properties !== "object" || properties === null || depth > 4) return [];
  return Object.entries(properties).flatMap(([name, inner]) => {
    const part = inner as JsonSchema;
    return [
      name,
      ...propertyNames(part, depth + 1),
      ...propertyNames(part["items"] as JsonSchema | undefined, depth + 1),
    ];
  });
}
