import type { Outcome, UrlLine } from "./crawl-types.ts";

/** A step of a path with everything below it. */
export interface UrlNode {
  /** The step, or the host at the top. */
  name: string;
  /** Address down to this step. */
  path: string;
  /** URLs that end at this step: more than one when they differ in their query. */
  lines: UrlLine[];
  children: UrlNode[];
  /** URLs of this step and below it, by what became of them. */
  counts: Record<Outcome, number>;
}

interface Draft extends UrlNode {
  byName: Map<string, Draft>;
}

/** Orders the URLs of a crawl by host and path. Hosts with the most URLs come first, steps in the order of the alphabet. */
export function urlTree(lines: readonly UrlLine[]): UrlNode[] {
  const root = newDraft("", "");
  for (const line of lines) {
    let place = root;
    for (const step of stepsOf(line.url)) {
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
  return counts.scraped + counts.failed + counts.skipped + counts.pending;
}

function finish({ name, path, lines, counts, byName }: Draft): UrlNode {
  const children = [...byName.values()].map(finish);
  children.sort((one, other) => one.name.localeCompare(other.name, "en", { numeric: true }));
  return { name, path, lines, counts, children };
}

/** The origin, then each step of the path with its slash; a query belongs to the last step. */
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
    counts: { scraped: 0, failed: 0, skipped: 0, pending: 0 },
    byName: new Map(),
  };
}
