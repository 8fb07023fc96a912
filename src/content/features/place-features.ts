/** Where in the tree the block stands: its tag, and how near the nearest ancestor of each telling kind is. */
import type { ElementNode } from "../tree.ts";
import { headingLevel, type PageOutline } from "../blocks.ts";
import type { FeatureGroup } from "./feature-group.ts";

const OWN_TAGS = [
  "p",
  "li",
  "td",
  "th",
  "div",
  "section",
  "span",
  "a",
  "dd",
  "dt",
  "blockquote",
  "pre",
  "figcaption",
  "button",
  "summary",
  "article",
  "body",
];

/** Kinds of ancestors by tag or role. */
const KIND_BY_TAG = new Map(
  "nav header footer aside main article form table ul ol dl figure blockquote pre button section a details dialog h1"
    .split(" ")
    .map((tag, index) => [tag, index] as const),
);
const KIND_BY_ROLE = new Map(
  Object.entries({
    navigation: "nav",
    banner: "header",
    contentinfo: "footer",
    complementary: "aside",
    main: "main",
    article: "article",
    dialog: "dialog",
    list: "ul",
    table: "table",
    menu: "nav",
    search: "form",
  }).map(([role, tag]) => [role, KIND_BY_TAG.get(tag)!] as const),
);

/** Kinds of ancestors by what their class and id say. */
const KINDS_BY_NAME: [string, RegExp][] = [
  ["nav", /nav|menu|breadcrumb|crumb|pagination|pager|tab[s-]|tablist|skip/],
  ["header", /header|masthead|banner|topbar|top-bar|navbar|toolbar/],
  ["footer", /foot|copyright|legal|colophon|bottom/],
  ["side", /side|aside|widget|rail|secondary|column-right|right-col/],
  [
    "related",
    /relat|recommend|popular|trend|similar|also|teaser|promo|more-|read-next|readnext|next-|upsell|cross-sell|you-may/,
  ],
  ["social", /social|share|sharing|follow|twitter|facebook|addthis|addtoany/],
  ["comment", /comment|disqus|repl(?:y|ies)|respond/],
  ["advertisement", /(?:^|[\s_-])ads?(?:[\s_-]|$)|advert|sponsor|banner-ad|dfp|taboola|outbrain|adsense/],
  [
    "consent",
    /cookie|consent|gdpr|modal|popup|pop-up|overlay|newsletter|subscri|signup|sign-up|login|paywall|dialog|toast/,
  ],
  ["content", /content|article|post|entry|main|story|text|prose|markdown|body|page/],
  ["byLine", /author|byline|meta|date|time|tags?(?:[\s_-]|$)|categor|posted|publish|bio/],
  ["product", /product|price|spec|descri|detail|sku|variant|attribute/],
  ["forum", /forum|thread|message|topic|question|answer|discuss/],
  ["feature", /hero|feature|section|faq|accordion|testimonial|pricing|cta|intro/],
  ["listing", /card|grid|list|item|tile|result|row|col[s-]|collection|archive/],
  ["filter", /search|filter|facet|sort|form|select|dropdown|btn|button|input/],
  ["media", /caption|credit|figure|gallery|media|image|video|photo|carousel|slider|swiper/],
  ["hidden", /sr-only|screen-reader|visually-?hidden|hidden|noprint|no-print|d-none|hide|collapse/],
  ["contents", /toc|table-of-contents|contents-list|index-list|on-this-page|outline/],
  ["documentation", /docs?(?:[\s_-]|$)|documentation|code|highlight|api|reference|wiki/],
  ["rating", /review|rating|stars?|vote|score|like|karma|user|avatar|profile|signature/],
  ["cart", /cart|basket|checkout|buy|wishlist|compare|stock|quantity|shipping|delivery|currency|lang/],
];

const KIND_NAMES = [
  ...[...KIND_BY_TAG.keys()].map((tag) => `in_${tag}`),
  ...KINDS_BY_NAME.map(([name]) => `named_${name}`),
  "in_hidden",
];
const HIDDEN_KIND = KIND_NAMES.length - 1;

export const placeFeatures: FeatureGroup = {
  names: [...OWN_TAGS.map((tag) => `tag_${tag}`), "depth", "headingLevel", "itemprop", ...KIND_NAMES],
  prepare({ outline }) {
    const nearest = nearestKinds(outline);
    return (block, matrix, offset) => {
      const index = outline.blocks[block]!.element;
      const { tag } = outline.elements[index]!;
      let at = offset;
      for (const ownTag of OWN_TAGS) matrix[at++] = tag === ownTag ? 1 : 0;
      const depth = outline.depths[index]!;
      matrix[at++] = depth;
      matrix[at++] = headingLevel(tag);
      matrix[at++] = itempropRank(outline, index);
      for (let kind = 0; kind < KIND_NAMES.length; kind++) {
        const nearestDepth = nearest[index * KIND_NAMES.length + kind]!;
        matrix[at++] = nearestDepth === 0 ? 0 : 1 / (2 + depth - nearestDepth);
      }
    };
  },
};

/** For each element and kind: 1 + the depth of the nearest such ancestor or the element itself, 0 when there is none. */
function nearestKinds({ elements, parents, depths }: PageOutline): Uint16Array {
  const width = KIND_NAMES.length;
  const nearest = new Uint16Array(elements.length * width);
  const namedKinds = new Map<string, number[]>();
  elements.forEach((element, index) => {
    const parent = parents[index]!;
    if (parent >= 0) nearest.copyWithin(index * width, parent * width, (parent + 1) * width);
    for (const kind of kindsOf(element, namedKinds)) nearest[index * width + kind] = depths[index]! + 1;
  });
  return nearest;
}

function kindsOf(element: ElementNode, cache: Map<string, number[]>): number[] {
  const { class: classes = "", id = "", role = "" } = element.attributes;
  const key = `${classes} ${id}`;
  let named = cache.get(key);
  if (named === undefined) cache.set(key, (named = key === " " ? [] : kindsByName(key)));
  const kinds = named.slice();
  const byTag = KIND_BY_TAG.get(element.tag);
  if (byTag !== undefined) kinds.push(byTag);
  const byRole = KIND_BY_ROLE.get(role);
  if (byRole !== undefined) kinds.push(byRole);
  if (isHidden(element)) kinds.push(HIDDEN_KIND);
  return kinds;
}

function kindsByName(name: string): number[] {
  const words = name.replace(/([a-z])([A-Z])/g, "$1-$2").toLowerCase();
  return KINDS_BY_NAME.flatMap(([, pattern], index) => (pattern.test(words) ? [KIND_BY_TAG.size + index] : []));
}

const HIDING_STYLE = /display\s*:\s*none|visibility\s*:\s*hidden/i;

export function isHidden({ attributes }: ElementNode): boolean {
  const { style, hidden } = attributes;
  return (
    hidden !== undefined || attributes["aria-hidden"] === "true" || (style !== undefined && HIDING_STYLE.test(style))
  );
}

const BODY_ITEMPROP = /articlebody|text|description|reviewbody/i;

/** 2 inside microdata that names a text, 1 inside any other, 0 outside. */
function itempropRank({ elements, parents }: PageOutline, start: number): number {
  let rank = 0;
  for (let index = start, steps = 0; index >= 0 && steps < 12; index = parents[index]!, steps++) {
    const { itemprop } = elements[index]!.attributes;
    if (itemprop) rank = Math.max(rank, BODY_ITEMPROP.test(itemprop) ? 2 : 1);
  }
  return rank;
}
