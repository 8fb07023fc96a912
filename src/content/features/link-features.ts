/** Where the block's links lead, seen from the page's own address. */
import type { FeatureGroup } from "./feature-group.ts";
import type { PageMeasures } from "./page-measures.ts";

/** Kinds of targets, told by their text alone: resolving each address would cost more than all other features. */
const KINDS = ["anchor", "external", "below", "above", "beside", "query"] as const;
type Kind = (typeof KINDS)[number] | "elsewhere";

export const linkFeatures: FeatureGroup = {
  names: [...KINDS.map((kind) => `link_${kind}`), ...KINDS.map((kind) => `unitLink_${kind}`)],
  prepare(page) {
    const kinds = classifyLinks(page);
    const counts = countByBlock(page, kinds);
    return (block, matrix, offset) => {
      const { own, around } = counts[block]!;
      KINDS.forEach((kind, index) => {
        matrix[offset + index] = own.total === 0 ? -1 : (own.kinds.get(kind) ?? 0) / own.total;
        matrix[offset + KINDS.length + index] = around.total === 0 ? -1 : (around.kinds.get(kind) ?? 0) / around.total;
      });
    };
  },
};

interface LinkCount {
  total: number;
  kinds: Map<Kind, number>;
}

function classifyLinks({ outline, url }: PageMeasures): (Kind | undefined)[] {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  const host = address?.hostname.replace(/^www\./, "") ?? "";
  const path = (address?.pathname ?? "/").replace(/\/$/, "").toLowerCase();
  const parent = path.slice(0, path.lastIndexOf("/") + 1);
  const cache = new Map<string, Kind>();
  return outline.elements.map(({ tag, attributes }) => {
    const { href } = attributes;
    if (tag !== "a" || href === undefined) return undefined;
    let kind = cache.get(href);
    if (kind === undefined) cache.set(href, (kind = classify(href.trim().toLowerCase(), { host, path, parent })));
    return kind;
  });
}

function classify(href: string, { host, path, parent }: { host: string; path: string; parent: string }): Kind {
  if (href.startsWith("#") || href.startsWith("javascript:") || href === "") return "anchor";
  const absolute = /^(?:https?:)?\/\/([^/?#]*)([^?#]*)(.*)/.exec(href);
  if (absolute && absolute[1]!.replace(/^www\./, "") !== host) return "external";
  const [target = "", rest = ""] = absolute ? [absolute[2], absolute[3]] : splitAtQuery(href);
  const targetPath = target.replace(/\/$/, "");
  if (targetPath === path || target === "") return rest.startsWith("#") ? "anchor" : "query";
  if (path !== "" && targetPath.startsWith(`${path}/`)) return "below";
  if (path.startsWith(`${targetPath}/`)) return "above";
  if (parent.length > 1 && targetPath.startsWith(parent)) return "beside";
  return "elsewhere";
}

function splitAtQuery(href: string): [string, string] {
  const end = href.search(/[?#]/);
  return end < 0 ? [href, ""] : [href.slice(0, end), href.slice(end)];
}

/** Links inside each block's element (or around it), and inside its grandparent. */
function countByBlock({ outline }: PageMeasures, kinds: (Kind | undefined)[]): { own: LinkCount; around: LinkCount }[] {
  const cache = new Map<number, LinkCount>();
  const countInside = (element: number): LinkCount => {
    let count = cache.get(element);
    if (count) return count;
    cache.set(element, (count = { total: 0, kinds: new Map() }));
    const last = Math.min(outline.lastDescendants[element]!, element + 400);
    for (let index = element; index <= last; index++) {
      const kind = kinds[index];
      if (kind === undefined) continue;
      count.total++;
      count.kinds.set(kind, (count.kinds.get(kind) ?? 0) + 1);
    }
    return count;
  };
  return outline.blocks.map(({ element }) => {
    const parent = Math.max(0, outline.parents[element]!);
    const grandparent = Math.max(0, outline.parents[parent]!);
    const inside = countInside(element);
    const own = inside.total > 0 ? inside : countInside(parent);
    return { own, around: countInside(grandparent) };
  });
}
