/** The rules of HTML's tree construction (§ 13.2.6) for single tags, as data. */

function tags(names: string): ReadonlySet<string> {
  return new Set(names.split(" "));
}

export const VOID_TAGS = tags(
  "area base basefont bgsound br col command embed frame hr img input keygen link meta param source track wbr",
);

/** Elements that are allowed in the head; any other opens the body. */
export const HEAD_TAGS = tags("base basefont bgsound link meta title noscript noframes style script template head");

/** Opening one of these closes a paragraph. */
export const CLOSES_PARAGRAPH = tags(
  "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 " +
    "h5 h6 header hgroup hr listing main menu nav ol p plaintext pre search section summary table ul xmp li dd dt",
);

/** Elements that no end tag of a phrase reaches through. */
export const SPECIAL_TAGS = tags(
  "address applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd " +
    "details dialog dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header " +
    "hgroup hr html iframe img input keygen li link listing main marquee menu meta nav noembed noframes noscript object " +
    "ol p param plaintext pre script search section select source style summary table tbody td template textarea tfoot " +
    "th thead title tr track ul wbr xmp",
);

/** Elements that continue through blocks until their end tag. */
export const FORMATTING_TAGS = tags("a b big code em font i nobr s small strike strong tt u");

export const HEADING_TAGS = tags("h1 h2 h3 h4 h5 h6");

/** Elements at which the search for an open element ends ("has an element in scope"). */
export const SCOPE = tags("applet caption html table td th marquee object template");
export const BUTTON_SCOPE: ReadonlySet<string> = new Set([...SCOPE, "button"]);
export const LIST_SCOPE: ReadonlySet<string> = new Set([...SCOPE, "ol", "ul", "menu", "dir"]);
export const TABLE_SCOPE = tags("html table template");

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
export const BREAKS_OUT = tags(
  "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr " +
    "ol p pre ruby s small span strong strike sub sup table tt u ul var",
);
/** Elements of SVG and MathML that may contain HTML. */
export const INTEGRATION_POINTS = tags("foreignobject desc title mi mo mn ms mtext annotation-xml");
/** Elements of SVG and MathML whose end is found through open HTML. */
export const FOREIGN_HOLDERS: ReadonlySet<string> = new Set([...INTEGRATION_POINTS, "svg", "math"]);
