/** The rules of HTML's tree construction (§ 13.2.6) for single tags, as data. */

function tags(names: string): ReadonlySet<string> {
  return new Set(names.split(" "));
}

export const VOID_TAGS = tags(
  "area base basefont bgsound br col command embed frame hr img input keygen link meta param source track wbr",
);

/** Elements that are allowed in the head; any other opens the body. */
const HEAD_TAGS = tags("base basefont bgsound link meta title noscript noframes style script template head");

/** Opening one of these closes a paragraph. */
const CLOSES_PARAGRAPH = tags(
  "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 " +
    "h5 h6 header hgroup hr listing main menu nav ol p plaintext pre search section summary table ul xmp li dd dt",
);

/** Elements that no end tag of a phrase reaches through. */
const SPECIAL_TAGS = tags(
  "address applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd " +
    "details dialog dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header " +
    "hgroup hr html iframe img input keygen li link listing main marquee menu meta nav noembed noframes noscript object " +
    "ol p param plaintext pre script search section select source style summary table tbody td template textarea tfoot " +
    "th thead title tr track ul wbr xmp",
);

/** Elements that continue through blocks until their end tag. */
const FORMATTING_TAGS = tags("a b big code em font i nobr s small strike strong tt u");

const HEADING_TAGS = tags("h1 h2 h3 h4 h5 h6");

/** Elements at which the search for an open element ends ("has an element in scope"). */
const SCOPE = tags("applet caption html table td th marquee object template");
const BUTTON_SCOPE: ReadonlySet<string> = new Set([...SCOPE, "button"]);
const LIST_SCOPE: ReadonlySet<string> = new Set([...SCOPE, "ol", "ul", "menu", "dir"]);
const TABLE_SCOPE = tags("html table template");

/** Per part of a table, the elements up to (and without) which it closes open elements when it begins. */
export const TABLE_PARENTS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["td", tags("tr tbody thead tfoot table template")],
  ["th", tags("tr tbody thead tfoot table template")],
  ["tr", tags("tbody thead tfoot table template")],
  ["tbody", tags("table template")],
  ["thead", tags("table template")],
  ["tfoot", tags("table template")],
  ["caption", tags("table template")],
  ["colgroup", tags("table template")],
]);

/** HTML elements that end SVG or MathML when they begin inside of it. */
const BREAKS_OUT = tags(
  "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr " +
    "ol p pre ruby s small span strong strike sub sup table tt u ul var",
);
/** Elements of SVG and MathML that may contain HTML. */
const INTEGRATION_POINTS = tags("foreignobject desc title mi mo mn ms mtext annotation-xml");
/** Elements of SVG and MathML whose end is found through open HTML. */
const FOREIGN_HOLDERS: ReadonlySet<string> = new Set([...INTEGRATION_POINTS, "svg", "math"]);
/** Elements whose text keeps its white space. */
const PREFORMATTED = tags("pre textarea listing xmp plaintext");
/** Parts of a table that end when a table begins right inside of them. */
const TABLE_PARTS = tags("table tbody thead tfoot tr");

/** The sets above as bits, so that one look-up tells all of them: each tag of a page is tested for most. */
export const Rule = {
  head: 1,
  closesParagraph: 1 << 1,
  special: 1 << 2,
  formatting: 1 << 3,
  heading: 1 << 4,
  scope: 1 << 5,
  buttonScope: 1 << 6,
  listScope: 1 << 7,
  tableScope: 1 << 8,
  breaksOut: 1 << 9,
  integrationPoint: 1 << 10,
  foreignHolder: 1 << 11,
  preformatted: 1 << 12,
  tablePart: 1 << 13,
  /** Has an entry in `TABLE_PARENTS`. */
  inTable: 1 << 14,
} as const;

const TAGS_OF_RULES: Record<keyof typeof Rule, Iterable<string>> = {
  head: HEAD_TAGS,
  closesParagraph: CLOSES_PARAGRAPH,
  special: SPECIAL_TAGS,
  formatting: FORMATTING_TAGS,
  heading: HEADING_TAGS,
  scope: SCOPE,
  buttonScope: BUTTON_SCOPE,
  listScope: LIST_SCOPE,
  tableScope: TABLE_SCOPE,
  breaksOut: BREAKS_OUT,
  integrationPoint: INTEGRATION_POINTS,
  foreignHolder: FOREIGN_HOLDERS,
  preformatted: PREFORMATTED,
  tablePart: TABLE_PARTS,
  inTable: TABLE_PARENTS.keys(),
};

const RULES = new Map<string, number>();
for (const rule of Object.keys(Rule) as (keyof typeof Rule)[]) {
  for (const tag of TAGS_OF_RULES[rule]) RULES.set(tag, (RULES.get(tag) ?? 0) | Rule[rule]);
}

/** Returns the bits of `Rule` for a tag. */
export function rulesOf(tag: string): number {
  return RULES.get(tag) ?? 0;
}
