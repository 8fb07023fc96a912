import { WorkBudget } from "../../core/work-budget.ts";
import { toPathPattern } from "./robots-path.ts";
import { type RobotsRule, RobotsRules } from "./robots-rules.ts";

/** Rules for the named crawlers, in lower case; `*` is every crawler. */
interface RobotsGroup {
  agents: string[];
  rules: RobotsRule[];
  /** Delays of crawlers that were named before another `User-agent` line: not in RFC 9309, which gives a group its rules alone. */
  delays?: { agents: string[]; seconds: number }[];
  /** Delay of the other crawlers. */
  crawlDelaySeconds?: number;
}

/** A robots.txt as plain data, which may be stored as JSON. */
export interface Robots {
  groups: RobotsGroup[];
  /** As in the file: some are relative to it. */
  sitemaps: string[];
}

/** RFC 9309 § 2.5 requires at least this limit; the rest is not read. */
export const MAX_ROBOTS_BYTES = 500 * 1024;

/** Names of crawlers are compared up to this length. */
const MAX_TOKEN_CHARS = 100;

/** Characters of a line that are read in the time of a step. */
const CHARS_PER_STEP = 16;

/** The rules for a site without a robots.txt (RFC 9309 § 2.3.1.3). */
export const ALLOW_ALL: Robots = { groups: [], sitemaps: [] };
/** The rules while a robots.txt is unreachable (RFC 9309 § 2.3.1.4). */
export const DISALLOW_ALL: Robots = {
  groups: [{ agents: ["*"], rules: [{ allow: false, pattern: "/" }] }],
  sitemaps: [],
};

/**
 * Returns the text of a robots.txt: UTF-8 (RFC 9309 § 2.2), or UTF-16 with a byte order mark. Of a file longer than the
 * limit, whole lines only: half a path disallows more than a whole one.
 */
export function decodeRobots(bytes: Uint8Array): string {
  const text = new TextDecoder(encodingOf(bytes)).decode(bytes.subarray(0, MAX_ROBOTS_BYTES));
  if (bytes.byteLength <= MAX_ROBOTS_BYTES) return text;
  return text.slice(0, Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1);
}

function encodingOf([first, second]: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}

/**
 * Reads a robots.txt (RFC 9309). Lines that are not understood are skipped; rules before the first `User-agent` apply
 * to no crawler. Takes time linear in the text and reads the first 500 KiB of it, within the budget.
 */
export function parseRobots(text: string, budget = new WorkBudget()): Robots {
  const robots: Robots = { groups: [], sitemaps: [] };
  let group: RobotsGroup | undefined;
  let isNaming = false;
  /** Number of the group's crawlers whose delay is known. */
  let delayed = 0;
  for (const line of linesOf(text)) {
    if (!budget.take(1 + Math.ceil(line.length / CHARS_PER_STEP))) break;
    const [name, value] = recordOf(line) ?? [];
    if (name === undefined || value === undefined) continue;
    if (name === "user-agent") {
      if (group === undefined || !isNaming) {
        robots.groups.push((group = { agents: [], rules: [] }));
        delayed = 0;
      } else delayed = endDelay(group, delayed);
      group.agents.push(agentOf(value));
      isNaming = true;
    } else if (name === "sitemap") {
      if (value !== "") robots.sitemaps.push(value);
    } else if (group !== undefined) {
      isNaming = readRule(group, { name, value }) ? false : isNaming;
    }
  }
  return robots;
}

/** A robots.txt prepared for lookups: its groups by the names of crawlers, and what applies to some crawlers. */
interface PreparedRobots {
  byAgent: ReadonlyMap<string, readonly RobotsGroup[]>;
  crawlers: Map<string, CrawlerRules>;
}

interface CrawlerRules {
  rules: RobotsRules;
  delaySeconds: number | undefined;
}

const prepared = new WeakMap<Robots, PreparedRobots>();
/** Crawlers whose rules are held for one robots.txt. */
const MAX_CRAWLERS = 4;

/**
 * Returns the rules for a crawler, which are prepared once.
 * @param userAgent a product token, or a whole `User-Agent` header that names one.
 */
export function rulesFor(robots: Robots, userAgent: string): RobotsRules {
  return crawlerRules(robots, userAgent).rules;
}

function crawlerRules(robots: Robots, userAgent: string): CrawlerRules {
  const token = productToken(userAgent);
  const known = prepared.get(robots) ?? { byAgent: groupsByAgent(robots), crawlers: new Map<string, CrawlerRules>() };
  prepared.set(robots, known);
  const before = known.crawlers.get(token);
  if (before !== undefined) return before;
  const { name, groups } = groupsFor(known.byAgent, token);
  const delays = groups.flatMap((group) => delayOf(group, name) ?? []);
  const found = {
    rules: new RobotsRules(groups.flatMap((group) => group.rules)),
    delaySeconds: delays.length === 0 ? undefined : Math.max(...delays),
  };
  if (known.crawlers.size >= MAX_CRAWLERS) known.crawlers.clear();
  known.crawlers.set(token, found);
  return found;
}

/**
 * Reports whether a crawler may load a URL: the longest matching rule decides, and `Allow` where two are as long.
 * @param userAgent a product token, or a whole `User-Agent` header that names one.
 * @param budget the steps for one URL; when it is spent before all rules were read, the URL is not allowed.
 */
export function isAllowed(robots: Robots, url: string, userAgent: string, budget?: WorkBudget): boolean {
  return rulesFor(robots, userAgent).allows(url, budget);
}

/**
 * Returns the seconds between two requests that the site requires of this crawler: not in RFC 9309, but widely used.
 */
export function crawlDelaySeconds(robots: Robots, userAgent: string): number | undefined {
  return crawlerRules(robots, userAgent).delaySeconds;
}

/**
 * Returns the name by which robots.txt identifies a crawler: `Orbweaver` of `Mozilla/5.0 (compatible; Orbweaver/0.1;
 * +https://…)`. Letters, `_` and `-` alone (RFC 9309 § 2.2.1), at most 100.
 */
export function productToken(userAgent: string): string {
  const [, compatible] = /\(compatible;\s*([a-z_-]+)/i.exec(userAgent) ?? [];
  return (compatible?.slice(0, MAX_TOKEN_CHARS) ?? leadingToken(userAgent.trim())).toLowerCase();
}

/**
 * Returns all groups that name the crawler; those of its name's shorter forms when none has the whole; else those for
 * `*`.
 */
function groupsFor(
  byAgent: PreparedRobots["byAgent"],
  crawler: string,
): { name: string; groups: readonly RobotsGroup[] } {
  for (let token = crawler; token !== ""; token = token.slice(0, Math.max(0, token.lastIndexOf("-")))) {
    const named = byAgent.get(token);
    if (named !== undefined) return { name: token, groups: named };
  }
  return { name: "*", groups: byAgent.get("*") ?? [] };
}

/**
 * Keeps the delay so far for the crawlers that have been named, and for none that follow.
 * @param start index of the first crawler that it is for
 * @returns the index of the first crawler of the next delay
 */
function endDelay(group: RobotsGroup, start: number): number {
  if (group.crawlDelaySeconds === undefined) return start;
  (group.delays ??= []).push({ agents: group.agents.slice(start), seconds: group.crawlDelaySeconds });
  delete group.crawlDelaySeconds;
  return group.agents.length;
}

function delayOf({ delays, crawlDelaySeconds: seconds }: RobotsGroup, agent: string): number | undefined {
  return delays?.find(({ agents }) => agents.includes(agent))?.seconds ?? seconds;
}

function groupsByAgent({ groups }: Robots): Map<string, RobotsGroup[]> {
  const byAgent = new Map<string, RobotsGroup[]>();
  for (const group of groups) {
    for (const agent of new Set(group.agents)) {
      const known = byAgent.get(agent);
      if (known === undefined) byAgent.set(agent, [group]);
      else known.push(group);
    }
  }
  return byAgent;
}

function linesOf(text: string): string[] {
  const start = text.startsWith("\u{FEFF}") ? 1 : 0;
  if (text.length - start <= MAX_ROBOTS_BYTES) return text.slice(start).split(/\r\n|\r|\n/);
  // The last line may be cut off, and half a path disallows more than a whole one.
  return text
    .slice(start, start + MAX_ROBOTS_BYTES)
    .split(/\r\n|\r|\n/)
    .slice(0, -1);
}

function recordOf(line: string): [name: string, value: string] | undefined {
  const comment = line.indexOf("#");
  const record = comment < 0 ? line : line.slice(0, comment);
  const colon = record.indexOf(":");
  if (colon < 0) return undefined;
  return [record.slice(0, colon).trim().toLowerCase(), record.slice(colon + 1).trim()];
}

function agentOf(value: string): string {
  return value.startsWith("*") ? "*" : leadingToken(value).toLowerCase();
}

function leadingToken(text: string): string {
  return /^[a-z_-]+/i.exec(text)?.[0].slice(0, MAX_TOKEN_CHARS) ?? "";
}

/**
 * @returns true when the record was a rule: only those end a list of names, other records must not (RFC 9309 § 2.2.4).
 */
function readRule(group: RobotsGroup, { name, value }: { name: string; value: string }): boolean {
  if (name === "allow" || name === "disallow") {
    if (value !== "") group.rules.push({ allow: name === "allow", pattern: toPathPattern(value) });
    return true;
  }
  const seconds = Number(value);
  if (name === "crawl-delay" && value !== "" && Number.isFinite(seconds) && seconds >= 0) {
    group.crawlDelaySeconds = Math.max(seconds, group.crawlDelaySeconds ?? 0);
  }
  return false;
}
