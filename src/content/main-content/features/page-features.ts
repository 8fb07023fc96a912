/** The kind of page: its counts, its head, its address. The same for every block of the page. */
import type { ElementNode } from "../../html/tree/tree.ts";
import { CORE_SHARES, findCore } from "./container-features.ts";
import type { FeatureGroup } from "./feature-group.ts";
import type { PageMeasures } from "./page-measures.ts";

const COUNTED_TAGS: [string, number][] = [
  ["article", 4],
  ["p", Infinity],
  ["li", Infinity],
  ["tr", Infinity],
  ["pre", Infinity],
  ["form", Infinity],
  ["img", Infinity],
  ["time", Infinity],
];
const COUNTED = new Map(COUNTED_TAGS.map(([tag], index) => [tag, index]));
const OPEN_GRAPH_TYPES: [number, string][] = [
  [1, "article"],
  [2, "product"],
  [3, "website"],
];
const OTHER_TYPE = 4;
const ADDRESS_HINTS: [string, RegExp][] = [
  ["forum", /forum|thread|topic|question|discuss|community|viewtopic|showthread|comments|foro[-_/s]|diskus/],
  ["list", /categor|collection|\/c\/|tag|browse|archiv|list|search|all|kategori|rubri[kq]|etiqueta|schlagwort/],
  [
    "article",
    /blog|news|article|post|story|artikel|nachricht|noticia|actualit|notizi|haber-|wiadomosc|zpravy|novosti|\d{4}\/\d\d/,
  ],
];
/** Two neighbouring repetitions of white space would take quadratic time on a long run of it. */
const JSON_LD_TYPES: [[string, RegExp], [string, RegExp]] = [
  ["article", /"@type"\s*:\s*(?:\[\s*)?"(?:\w*Article|BlogPosting)"/],
  ["product", /"@type"\s*:\s*(?:\[\s*)?"Product(?:Group)?"/],
];

export const pageFeatures: FeatureGroup = {
  names: [
    "pageWords",
    "pageBlocks",
    "pageLinkDensity",
    "pageParagraphShare",
    "pageGoodShare",
    ...COUNTED_TAGS.map(([tag]) => `pageCount_${tag}`),
    "pageOpenGraphType",
    "pageMainShare",
    "pageArticleShare",
    ...JSON_LD_TYPES.map(([name]) => `pageJsonLd_${name}`),
    "pageJsonLdLength",
    "addressSegments",
    "addressLastWords",
    ...ADDRESS_HINTS.map(([name]) => `address_${name}`),
    ...CORE_SHARES.flatMap((share) => ["Depth", "LinkDensity", "Share"].map((name) => `core${share * 100}${name}`)),
  ],
  prepare(page) {
    const values = Float32Array.from(describePage(page));
    return (_block, matrix, offset) => matrix.set(values, offset);
  },
};

function describePage(page: PageMeasures): number[] {
  const { outline, text, totals, sums } = page;
  let paragraphLength = 0;
  outline.blocks.forEach(({ element }, index) => {
    if (outline.elements[element]!.tag === "p") paragraphLength += text.lengths[index]!;
  });
  return [
    Math.log1p(totals.words),
    Math.log1p(outline.blocks.length),
    totals.linkLength / totals.length,
    paragraphLength / totals.length,
    totals.good / totals.length,
    ...countTags(page),
    openGraphType(page),
    largestShare(page, ({ tag, attributes }) => tag === "main" || attributes["role"] === "main"),
    largestShare(page, ({ tag }) => tag === "article"),
    ...jsonLdTypes(page.head),
    Math.log1p(page.head.jsonLd.reduce((sum, json) => sum + json.length, 0)),
    ...describeAddress(page.url),
    ...CORE_SHARES.flatMap((share) => {
      const core = findCore(page, share);
      const length = Math.max(1, sums.lengths[core]!);
      return [outline.depths[core]!, sums.linkLengths[core]! / length, length / totals.length];
    }),
  ];
}

function countTags({ outline }: PageMeasures): number[] {
  const counts = COUNTED_TAGS.map(() => 0);
  for (const { tag } of outline.elements) {
    const counted = COUNTED.get(tag);
    if (counted !== undefined) counts[counted] = counts[counted]! + 1;
  }
  return COUNTED_TAGS.map(([, most], index) =>
    most === Infinity ? Math.log1p(counts[index]!) : Math.min(counts[index]!, most),
  );
}

/** Returns the share of the page's text in the largest such element. `isMeant` depends on the element's name alone. */
function largestShare({ names, sums, totals }: PageMeasures, isMeant: (element: ElementNode) => boolean): number {
  const { numbers, examples } = names;
  const meant = new Uint8Array(examples.length);
  for (let name = 0; name < meant.length; name++) if (isMeant(examples[name]!)) meant[name] = 1;
  if (!meant.includes(1)) return 0;
  let largest = 0;
  for (let index = 0; index < numbers.length; index++) {
    const name = numbers[index]!;
    if (name >= 0 && meant[name] === 1) largest = Math.max(largest, sums.lengths[index]!);
  }
  return largest / totals.length;
}

/** Reports whether a page says in its head that it is an article. */
export function declaresArticle(head: PageMeasures["head"]): boolean {
  return openGraphType({ head }) === 1 || jsonLdTypes(head)[0] === 1;
}

const typesOfHeads = new WeakMap<PageMeasures["head"], readonly number[]>();

/** Returns for each of `JSON_LD_TYPES` 1 where the page's JSON-LD has it, else 0. Each page is examined once. */
function jsonLdTypes(head: PageMeasures["head"]): readonly number[] {
  let types = typesOfHeads.get(head);
  if (types === undefined) {
    types = JSON_LD_TYPES.map(([, pattern]) => (head.jsonLd.some((json) => pattern.test(json)) ? 1 : 0));
    typesOfHeads.set(head, types);
  }
  return types;
}

function openGraphType({ head }: Pick<PageMeasures, "head">): number {
  for (const meta of head.metas) {
    if ((meta.property ?? meta.name ?? "").toLowerCase() !== "og:type") continue;
    const content = (meta.content ?? "").toLowerCase();
    return OPEN_GRAPH_TYPES.find(([, word]) => content.includes(word))?.[0] ?? OTHER_TYPE;
  }
  return 0;
}

function describeAddress(url: string): number[] {
  const address = URL.parse(url);
  const path = (address?.pathname ?? "/").toLowerCase();
  const segments = path.split("/").filter(Boolean);
  const whole = `${address?.hostname ?? ""}${path}${address?.search ?? ""}`.toLowerCase();
  return [
    segments.length,
    Math.log1p((segments.at(-1) ?? "").split(/[-_]/).length),
    ...ADDRESS_HINTS.map(([name, pattern]) =>
      pattern.test(name === "forum" || name === "docs" ? whole : path) ? 1 : 0,
    ),
  ];
}
