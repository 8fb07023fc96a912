import type { Outcome, UrlLine } from "../crawl-types.ts";

/** A path segment with everything below it. */
export interface UrlNode {
  /** The segment, or the origin at the top. */
  name: string;
  /** URL up to this segment. */
  path: string;
  /** URLs that end at this segment; more than one if they differ in a trailing slash. */
  lines: UrlLine[];
  children: UrlNode[];
  /** Number of URLs at this segment and below it, by outcome. */
  counts: Record<Outcome, number>;
}

interface Draft extends UrlNode {
  byName: Map<string, Draft>;
}

/** One collator for all names: creating one for each comparison takes most of the time of a long list. */
const ORDER = new Intl.Collator("en", { numeric: true });

/** Groups URLs by origin and path. Origins with the most URLs come first; segments are in alphabetical order. */
export function urlTree(lines: readonly UrlLine[]): UrlNode[] {
  const root = newDraft("", "");
  for (const line of lines) {
    let place = root;
    for (const step of knownSteps(line)) {
      const next: Draft = place.byName.get(step) ?? newDraft(step, `${place.path}${step}`);
      place.byName.set(step, next);
      place = next;
      place.counts[line.outcome]++;
    }
    place.lines.push(line);
  }
  const hosts = [...root.byName.values()].map(finish);
  return hosts.sort((one, other) => totalOf(other) - totalOf(one));
}

export function totalOf({ counts }: Pick<UrlNode, "counts">): number {
  return counts.scraped + counts.failed + counts.skipped + counts.pending + counts.removed;
}

function finish({ name, path, lines, counts, byName }: Draft): UrlNode {
  const children = [...byName.values()].map(finish);
  children.sort((one, other) => ORDER.compare(one.name, other.name));
  return { name, path, lines, counts, children };
}

/** Steps of lines whose tree is built again with another filter. */
const known = new WeakMap<UrlLine, string[]>();

function knownSteps(line: UrlLine): string[] {
  const steps = known.get(line) ?? stepsOf(line.url);
  known.set(line, steps);
  return steps;
}

/** Returns the origin, each path segment with its slash, and the query and fragment. */
function stepsOf(url: string): string[] {
  if (!URL.canParse(url)) return [url];
  const { origin, host, protocol, pathname, search, hash } = new URL(url);
  const steps = pathname.split("/").filter((step) => step !== "");
  const top = origin === "null" ? `${protocol}${host}` : origin;
  const path = steps.map((step) => `/${step}`);
  const tail = `${pathname.endsWith("/") && steps.length > 0 ? "/" : ""}${search}${hash}`;
  if (tail === "" || tail === "/") return [top, ...path];
  return [top, ...path, tail.replace(/^\/(?=[?#])/, "")];
}

function newDraft(name: string, path: string): Draft {
  return {
    name,
    path,
    lines: [],
    children: [],
    counts: { scraped: 0, failed: 0, skipped: 0, pending: 0, removed: 0 },
    byName: new Map(),
  };
}
