import { decodeHTMLStrict } from "entities/decode";

const NAMES =
  "a abbr acronym address article aside audio b bdi bdo big blockquote body br button caption center cite code col dd del " +
  "details dfn div dl dt em embed figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header hr html i iframe img " +
  "input ins kbd label li link main mark math menu meta nav nobr noscript object ol option p param picture pre q rp rt " +
  "ruby s samp script section select small source span strike strong style sub summary sup svg table tbody td textarea " +
  "tfoot th thead time title tr tt u ul var video wbr";
/** Tags and comments of HTML, and addresses of mail in angle brackets. */
const MARKUP = new RegExp(
  String.raw`<(?:/?(?:${NAMES.replaceAll(" ", "|")})(?=[\s/>])[^<>]*|!--[^<>]*|[^<>\s@]+@[^<>\s@]+)>`,
  "gi",
);

/** Returns the text of a line of HTML. Other signs in angle brackets, such as those of types in programs, stay. */
export function textOfHtml(html: string): string {
  return decodeHTMLStrict(html.replace(MARKUP, ""));
}
