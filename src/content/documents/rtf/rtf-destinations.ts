import type { RtfDestination } from "./rtf-state.ts";
import { withoutPrototype } from "../../../core/without-prototype.ts";

/** Control words that direct the rest of their group somewhere else than into the document. */
export const DESTINATIONS: Record<string, RtfDestination> = withoutPrototype({
  fonttbl: "fonts",
  stylesheet: "styles",
  title: "title",
  author: "author",
  subject: "subject",
  keywords: "keywords",
  fldinst: "fieldInstruction",
  listtext: "listText",
  pntext: "listText",
  footnote: "footnote",
  colortbl: "skip",
  listtable: "skip",
  listoverridetable: "skip",
  rsidtbl: "skip",
  generator: "skip",
  info: "skip",
  pict: "skip",
  object: "skip",
  header: "skip",
  headerl: "skip",
  headerr: "skip",
  headerf: "skip",
  footer: "skip",
  footerl: "skip",
  footerr: "skip",
  footerf: "skip",
  ftnsep: "skip",
  ftnsepc: "skip",
  xe: "skip",
  tc: "skip",
  annotation: "comment",
  shpinst: "shape",
  do: "shape",
  shptxt: "box",
  dptxbxtext: "box",
  sn: "propertyName",
  sv: "propertyValue",
  shprslt: "skip",
  nonesttables: "skip",
  atnid: "skip",
  atnauthor: "skip",
  nonshppict: "skip",
  themedata: "skip",
  latentstyles: "skip",
  datastore: "skip",
  bkmkstart: "skip",
  bkmkend: "skip",
});

/** Destinations marked with `\*` that are read nevertheless. */
export const KNOWN_STARRED = new Set([
  "fldinst", "shppict", "footnote", "listtext", "pntext", "annotation", "shpinst", "do", "nesttableprops",
]); // prettier-ignore
/** Text with paragraphs of its own. */
export const STORIES = new Set<RtfDestination>(["footnote", "comment", "box"]);
/** Text whose formatting of paragraphs concerns no paragraph of the document. */
export const WITHOUT_PARAGRAPHS = new Set<RtfDestination>([
  "skip",
  "shape",
  "propertyName",
  "propertyValue",
  "listText",
  "fieldInstruction",
]);
