/** Where in the tree the block stands: its tag, and how near the nearest ancestor of each telling kind is. */
import type { ElementNode } from "../tree.ts";
import { headingLevel, type PageOutline } from "../blocks.ts";
import { type FeatureGroup, writePerElement } from "./feature-group.ts";

const OWN_TAGS = ["p", "div", "pre"];

/** Kinds of ancestors by tag or role. */
const KIND_BY_TAG = new Map(
  "nav header footer aside main article form ul figure pre section dialog"
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
  ["comment", /comment|disqus|repl(?:y|ies)|respond/],
  [
    "consent",
    /cookie|consent|gdpr|modal|popup|pop-up|overlay|newsletter|subscri|signup|sign-up|login|paywall|dialog|toast/,
  ],
  ["content", /content|article|post|entry|main|story|text|prose|markdown|body|page/],
  ["forum", /forum|thread|message|topic|question|answer|discuss/],
  ["feature", /hero|feature|section|faq|accordion|testimonial|pricing|cta|intro/],
  ["listing", /card|grid|list|item|tile|result|row|col[s-]|collection|archive/],
  ["filter", /search|filter|facet|sort|form|select|dropdown|btn|button|input/],
  ["media", /caption|credit|figure|gallery|media|image|video|photo|carousel|slider|swiper/],
  ["hidden", /sr-only|screen-reader|visually-?hidden|hidden|noprint|no-print|d-none|hide|collapse/],
  ["rating", /review|rating|stars?|vote|score|like|karma|user|avatar|profile|signature/],
];

const KIND_NAMES = [
  ...[...KIND_BY_TAG.keys()].map((tag) => `in_${tag}`),
  ...KINDS_BY_NAME.map(([name]) => `named_${name}`),
  "in_hidden",
];
const HIDDEN_BIT = 1 << (KIND_NAMES.length - 1);

export const placeFeatures: FeatureGroup = {
  names: [...OWN_TAGS.map((tag) => `tag_${tag}`), "depth", "headingLevel", ...KIND_NAMES],
  prepare(page) {
    const kindsOf = rememberKinds(page.outline.elements);
    return writePerElement(page, (element) => describePlace(page.outline, element, kindsOf));
  },
};

function describePlace(outline: PageOutline, element: number, kindsOf: (index: number) => number): Float32Array {
  const { elements, parents, depths } = outline;
  const { tag } = elements[element]!;
  const values = new Float32Array(OWN_TAGS.length + 2 + KIND_NAMES.length);
  OWN_TAGS.forEach((ownTag, index) => {
    values[index] = tag === ownTag ? 1 : 0;
  });
  values[OWN_TAGS.length] = depths[element]!;
  values[OWN_TAGS.length + 1] = headingLevel(tag);
  let seen = 0;
  for (let index = element, steps = 1; index >= 0; index = parents[index]!, steps++) {
    const fresh = kindsOf(index) & ~seen;
    if (fresh === 0) continue;
    seen |= fresh;
    for (let kind = 0; kind < KIND_NAMES.length; kind++) {
      if ((fresh >> kind) & 1) values[OWN_TAGS.length + 2 + kind] = 1 / steps;
    }
  }
  return values;
}

/** The kinds of an element as a bit mask; each is told once, and each class or id once a page. */
function rememberKinds(elements: readonly ElementNode[]): (index: number) => number {
  const known = new Int32Array(elements.length).fill(-1);
  const byName = new Map<string, number>();
  const ofName = (name: string | undefined): number => {
    if (!name) return 0;
    let kinds = byName.get(name);
    if (kinds === undefined) byName.set(name, (kinds = kindsByName(name)));
    return kinds;
  };
  return (index) => {
    let kinds = known[index]!;
    if (kinds >= 0) return kinds;
    const element = elements[index]!;
    const { class: classes, id, role } = element.attributes;
    kinds = ofName(classes) | ofName(id);
    const byTag = KIND_BY_TAG.get(element.tag);
    if (byTag !== undefined) kinds |= 1 << byTag;
    const byRole = role === undefined ? undefined : KIND_BY_ROLE.get(role);
    if (byRole !== undefined) kinds |= 1 << byRole;
    if (isMarkedHidden(element)) kinds |= HIDDEN_BIT;
    known[index] = kinds;
    return kinds;
  };
}

function kindsByName(name: string): number {
  const words = name.replace(/([a-z])([A-Z])/g, "$1-$2").toLowerCase();
  let kinds = 0;
  KINDS_BY_NAME.forEach(([, pattern], index) => {
    if (pattern.test(words)) kinds |= 1 << (KIND_BY_TAG.size + index);
  });
  return kinds;
}

const HIDING_STYLE = /display\s*:\s*none|visibility\s*:\s*hidden/i;

/** Wider than what is left out of a page's text: folded tabs carry `aria-hidden`, and many are content. */
function isMarkedHidden({ attributes }: ElementNode): boolean {
  const { style, hidden } = attributes;
  return (
    hidden !== undefined || attributes["aria-hidden"] === "true" || (style !== undefined && HIDING_STYLE.test(style))
  );
}
