import { z } from "zod";
import {
  CrawlRules,
  folderAfterMove,
  judgeUrl,
  PATTERN_STEPS_A_TURN,
  type FoundOn,
  type Judgement,
} from "../../core/crawl/crawl-scope.ts";
import type { FrontierItem } from "../../core/crawl/frontier.ts";
import { nextTurn } from "../../core/in-turns.ts";
import { keepsTls } from "../../core/url/portable-headers.ts";
import { isSameHost } from "../../core/url/registrable-domain.ts";
import { dropAnchor, tidyUrl } from "../../core/url/url-key.ts";
import { WorkBudget } from "../../core/work-budget.ts";
import { NOTHING, type Discoveries, type JobKind, type LandingVerdict } from "../kind.ts";

/** Input of a crawl job. */
export const CrawlInput = z.object({
  rules: CrawlRules,
  sitemap: z.enum(["skip", "include", "only"]),
  /** Undefined when robots.txt is ignored. */
  robotsAgent: z.string().optional(),
  /** True once the first page has been loaded, which determines where the crawl starts. */
  isLanded: z.boolean(),
  /** True when it starts at another host than was requested, or without TLS; absent before, and in jobs of older versions. */
  hasMoved: z.boolean().optional(),
});
export type CrawlInput = z.infer<typeof CrawlInput>;

/** Returns the origin that a crawl's seeds are judged from: they were found on no page, and have depth 0. */
export function originOfSeeds(rules: CrawlRules): FoundOn {
  return { url: rules.startUrl, depth: -1, isExternal: false };
}

/** Scrapes a site: the start page, the URLs of its sitemaps, and the pages that they link to, within the rules. */
export const crawl: JobKind<CrawlInput> = {
  name: "crawl",
  input: CrawlInput,
  path: "crawl",
  robotsAgent: ({ robotsAgent }) => robotsAgent,
  seed: ({ rules, sitemap, isLanded, hasMoved = isLanded }) => ({
    startUrl: rules.startUrl,
    readsSitemaps: sitemap !== "skip",
    readsLinks: sitemap !== "only",
    hasMoved,
  }),

  isForeign: ({ url, isExternal }, { rules, hasMoved = false }) =>
    isExternal || hasMoved || !keepsTls(new URL(url), new URL(rules.startUrl)),

  /** A redirected page is checked by its final URL; the first page may redirect anywhere, and takes the crawl there. */
  land({ item, finalUrl }, input) {
    if (finalUrl === item.url) return { kind: "kept" };
    const { rules } = input;
    const from = { url: item.url, depth: item.depth - 1, isExternal: false };
    const verdict = judgeUrl(finalUrl, { from, rules });
    if (verdict.kind === "in_scope") return keptAs(verdict, item);
    if (item.depth === 0 && isStart(item.url, rules))
      return keptAs(judgeStart(finalUrl, rulesAfter(finalUrl, input)), item);
    if (item.isExternal || verdict.reason === "SECTION_LINK") return { kind: "kept" };
    return {
      kind: "denied",
      error: `The page redirects to ${verdict.url}, which the crawl leaves out (${verdict.reason})`,
    };
  },

  follow(landing, links, { rules, sitemap }, limits) {
    if (sitemap === "only" || landing.item.isExternal) return NOTHING;
    const { depth, isExternal, url } = landing.item;
    const followed = landing.isRendered === true ? links() : withoutRoutesOf(landing.finalUrl, links());
    return judgeAll(followed, { url: landing.finalUrl, depth, isExternal }, { ...limits, rules, parent: url });
  },

  fromSitemap: (entries, { rules }, budget) =>
    judgeAll(
      entries.map(({ url }) => url),
      originOfSeeds(rules),
      { rules, parent: undefined, budget, dates: new Map(entries.map(({ url, lastModified }) => [url, lastModified])) },
    ),

  /** The first page's final URL determines the host and the folder of the crawl. */
  rebase({ item, finalUrl }, input) {
    if (input.isLanded || !isStart(item.url, input.rules)) return undefined;
    const hasMoved = isElsewhere(finalUrl, input.rules.startUrl);
    return { ...input, rules: rulesAfter(finalUrl, input), isLanded: true, hasMoved };
  },
};

/** Reports whether a page is at another host than was requested, or was loaded without the TLS of the request. */
function isElsewhere(finalUrl: string, askedUrl: string): boolean {
  const [final, asked] = [new URL(finalUrl), new URL(askedUrl)];
  return !isSameHost(final.host, asked.host) || !keepsTls(final, asked);
}

/** Returns the verdict on a page that is kept: another URL than that of its item is taken by it. */
function keptAs({ key, url }: { key?: string; url: string }, item: FrontierItem): LandingVerdict {
  return key === undefined || key === item.key ? { kind: "kept" } : { kind: "kept", finalKey: key, finalUrl: url };
}

/** Judges a URL as that of the first page. */
export function judgeStart(url: string, rules: CrawlRules): Judgement {
  return judgeUrl(dropAnchor(new URL(url)).href, { from: originOfSeeds(rules), rules });
}

/** Returns the rules after the first page was loaded, whose final URL determines the host and the folder of the crawl. */
function rulesAfter(finalUrl: string, { rules, isLanded }: CrawlInput): CrawlRules {
  if (isLanded) return rules;
  const { startUrl, folder } = rules;
  const moved = dropAnchor(new URL(finalUrl));
  const movedFolder = folderAfterMove(folder, moved.pathname);
  const isHere = moved.host === new URL(startUrl).host && movedFolder === folder;
  return isHere ? rules : { ...rules, startUrl: moved.href, folder: movedFolder };
}

/**
 * Leaves out the hash routes of the page itself: only a page that needed a browser is taken for an app with such routes
 * (api-contract.md, “Crawl scope”). On other pages they are anchors, and would all be the same page.
 */
function withoutRoutesOf(page: string, links: readonly string[]): string[] {
  const [plain = page] = page.split("#", 1);
  const routes = `${plain}#`;
  return links.filter((link) => !link.startsWith(routes));
}

/** Reports whether a URL is that of the start page, which is stored as the caller wrote it, with its query and credentials. */
function isStart(url: string, rules: CrawlRules): boolean {
  const plain = (text: string) => tidyUrl(new URL(text), rules).href.replace(/#.*$/, "");
  return plain(url) === plain(rules.startUrl);
}

interface Judging {
  rules: CrawlRules;
  parent: string | undefined;
  /** `lastmod` of each URL of a sitemap. */
  dates?: ReadonlyMap<string, string | undefined>;
  budget?: WorkBudget | undefined;
  /** Default: 100,000. */
  maxFollowed?: number;
}

/** Instructions of the patterns, for each character of a URL: of one page, of one piece of a sitemap, or of an estimate. */
export const MAX_PATTERN_STEPS = 400_000_000;

/** URLs of a page that are followed (`FollowLimits`). */
export const MAX_FOLLOWED = 100_000;
/** URLs that are judged before other requests run: a few milliseconds. */
const URLS_A_TURN = 500;

/** Judges URLs in their order, and lets other requests run between them where they are many or the patterns take long. */
export async function judgeAll(
  urls: readonly string[],
  from: FoundOn,
  { rules, parent, dates, budget = new WorkBudget({ steps: MAX_PATTERN_STEPS }), maxFollowed = MAX_FOLLOWED }: Judging,
): Promise<Discoveries> {
  const found: Discoveries = { candidates: [], filtered: [] };
  let turnAt = budget.steps + PATTERN_STEPS_A_TURN;
  for (const [index, url] of urls.entries()) {
    const judged = judgeUrl(url, { from, rules, budget });
    const verdict = found.candidates.length < maxFollowed ? judged : withoutFollowing(judged);
    const isTurnDue = !budget.isSpent && budget.steps >= turnAt;
    if (isTurnDue) turnAt = budget.steps + PATTERN_STEPS_A_TURN;
    if (isTurnDue || index % URLS_A_TURN === URLS_A_TURN - 1) await nextTurn();
    if (verdict.kind === "in_scope") {
      const { key, depth, isExternal } = verdict;
      const sitemapDate = dates?.get(url);
      const dated = sitemapDate === undefined ? {} : { sitemapDate };
      found.candidates.push({ key, url: verdict.url, depth, isExternal, parent, ...dated });
    } else if (verdict.reason !== "SECTION_LINK") {
      const { reason, key } = verdict;
      found.filtered.push({
        url: verdict.url,
        reason,
        depth: from.depth + 1,
        parent,
        ...(key === undefined ? {} : { key }),
      });
    }
  }
  return found;
}

function withoutFollowing(judged: Judgement): Judgement {
  if (judged.kind === "filtered") return judged;
  return { kind: "filtered", url: judged.url, key: judged.key, reason: "WORK_LIMIT" };
}
