/** Position of the block in the tree: its tag, and the distance to the nearest ancestor of each indicative kind. */
import { type ElementNode, NO_ATTRIBUTES } from "../../html/tree/tree.ts";
import { headingLevel } from "../blocks.ts";
import type { FeatureGroup } from "./feature-group.ts";
import type { PageMeasures } from "./page-measures.ts";
import { PartFinder } from "./words/part-finder.ts";

const OWN_TAGS = ["p", "div", "pre"];

/** Kinds of ancestors by tag or role. */
const KIND_BY_TAG = new Map(
  "nav footer aside main article ul figure section dialog".split(" ").map((tag, index) => [tag, index] as const),
);
const KIND_BY_ROLE = new Map(
  Object.entries({
    navigation: "nav",
    contentinfo: "footer",
    complementary: "aside",
    main: "main",
    article: "article",
    dialog: "dialog",
    list: "ul",
    menu: "nav",
  }).flatMap(([role, tag]) => {
    const kind = KIND_BY_TAG.get(tag);
    return kind === undefined ? [] : [[role, kind] as const];
  }),
);

/** Kinds of ancestors by the words in their class and id. */
const KINDS_BY_NAME: [string, string][] = [
  ["nav", "nav menu crumb pagination pager tabs tab- tablist skip paginacion paginacao"],
  ["footer", "foot copyright legal colophon bottom rodape fusszeile stopka paticka"],
  ["comment", "comment disqus reply replies respond kommentar coment komentar yorum reactie antwort"],
  [
    "consent",
    "cookie consent gdpr modal popup pop-up overlay newsletter subscri signup sign-up login paywall dialog toast " +
      "anmeld inscri suscri abonne assine zaloguj prenumer",
  ],
  [
    "content",
    "content article post entry main story text prose markdown body page artikel inhalt beitrag contenu conteudo contenido articulo artigo articolo noticia haber",
  ],
  ["feature", "hero feature section faq accordion testimonial pricing cta intro"],
  [
    "rating",
    "review rating star vote score like karma user avatar profile signature bewertung opinion recensi avaliac",
  ],
];
const NAME_PARTS = new PartFinder(KINDS_BY_NAME.map(([, words]) => words));

const KIND_NAMES = [
  ...[...KIND_BY_TAG.keys()].map((tag) => `in_${tag}`),
  ...KINDS_BY_NAME.map(([name]) => `named_${name}`),
  "in_hidden",
];
const KINDS = KIND_NAMES.length;
const HIDDEN_BIT = 1 << (KINDS - 1);
/** Ancestors further away count as at this distance. */
const MAX_STEPS = 255;

export const placeFeatures: FeatureGroup = {
  names: [...OWN_TAGS.map((tag) => `tag_${tag}`), "depth", "headingLevel", ...KIND_NAMES],
  prepare(page) {
    const { outline } = page;
    const steps = stepsToKinds(page);
    return (block, matrix, offset) => {
      const { element } = outline.blocks[block]!;
      const { tag } = outline.elements[element]!;
      let at = offset;
      for (const ownTag of OWN_TAGS) matrix[at++] = tag === ownTag ? 1 : 0;
      matrix[at++] = outline.depths[element]!;
      matrix[at++] = headingLevel(tag);
      for (let kind = element * KINDS; kind < (element + 1) * KINDS; kind++) {
        matrix[at++] = steps[kind] === 0 ? 0 : 1 / steps[kind]!;
      }
    };
  },
};

/**
 * Returns for each element and kind the steps to the nearest such element, 1 for the element itself; 0 where there is
 * none.
 */
function stepsToKinds({ outline, names }: PageMeasures): Uint8Array {
  const { elements, parents } = outline;
  const kindsOfName = Int32Array.from(names.examples, kindsOf);
  const steps = new Uint8Array(elements.length * KINDS);
  for (let index = 0; index < elements.length; index++) {
    const name = names.numbers[index]!;
    if (name < 0) continue;
    if (index > 0) stepAway(steps, parents[index]! * KINDS, index * KINDS);
    let kinds = kindsOfName[name]! | (isMarkedHidden(elements[index]!) ? HIDDEN_BIT : 0);
    for (let at = index * KINDS; kinds !== 0; kinds >>>= 1, at++) if ((kinds & 1) !== 0) steps[at] = 1;
  }
  return steps;
}

function stepAway(steps: Uint8Array, from: number, to: number): void {
  for (let kind = 0; kind < KINDS; kind++) {
    const before = steps[from + kind]!;
    if (before !== 0) steps[to + kind] = before < MAX_STEPS ? before + 1 : MAX_STEPS;
  }
}

/** Returns the kinds of an element by tag, role, class and id, as a bit mask. */
function kindsOf({ tag, attributes }: ElementNode): number {
  const { class: classes, id, role } = attributes;
  let kinds = 0;
  const byTag = KIND_BY_TAG.get(tag);
  if (byTag !== undefined) kinds |= 1 << byTag;
  const byRole = role === undefined ? undefined : KIND_BY_ROLE.get(role);
  if (byRole !== undefined) kinds |= 1 << byRole;
  if (classes) kinds |= NAME_PARTS.find(classes) << KIND_BY_TAG.size;
  if (id) kinds |= NAME_PARTS.find(id) << KIND_BY_TAG.size;
  return kinds;
}

const HIDING_STYLE = /display\s*:\s*none|visibility\s*:\s*hidden/i;

/** Wider than the rule for hidden text: folded tabs have `aria-hidden`, and many are content. */
function isMarkedHidden({ attributes }: ElementNode): boolean {
  if (attributes === NO_ATTRIBUTES) return false;
  const { style, hidden } = attributes;
  return (
    hidden !== undefined || attributes["aria-hidden"] === "true" || (style !== undefined && HIDING_STYLE.test(style))
  );
}
