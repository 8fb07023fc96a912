import type { HtmlView } from "./html-view.ts";
import { decodeLetters } from "../text/decode-letters.ts";
import { baseUrlOf, resolveUrl } from "./resolve-url.ts";
import type { HtmlTree } from "./tree/tree.ts";
import { withoutPrototype } from "../../core/without-prototype.ts";

/** The metadata of a page; a name that occurs several times has a list. */
export type PageMetadata = Record<string, string | string[] | number>;

/** Names of the wire and the tags that they are read from (api-contract.md, “Metadata”). */
const NAMED: Record<string, string> = withoutPrototype({
  ogTitle: "og:title",
  ogDescription: "og:description",
  ogUrl: "og:url",
  ogImage: "og:image",
  ogAudio: "og:audio",
  ogDeterminer: "og:determiner",
  ogLocale: "og:locale",
  ogSiteName: "og:site_name",
  ogVideo: "og:video",
  articleSection: "article:section",
  articleTag: "article:tag",
  publishedTime: "article:published_time",
  modifiedTime: "article:modified_time",
  dcTermsKeywords: "dcterms.keywords",
  dcDescription: "dc.description",
  dcSubject: "dc.subject",
  dcTermsSubject: "dcterms.subject",
  dcTermsAudience: "dcterms.audience",
  dcType: "dc.type",
  dcTermsType: "dcterms.type",
  dcDate: "dc.date",
  dcDateCreated: "dc.date.created",
  dcTermsCreated: "dcterms.created",
});

/** Fields of the metadata that the page's own tags fill; other tags are under their own names. */
export const METADATA_NAMES: readonly string[] = [
  "title", "description", "language", "keywords", "robots", "favicon", "ogLocaleAlternate", ...Object.keys(NAMED),
]; // prettier-ignore

const SPACES = /\s+/g;
/** Longer values are data in disguise, such as a whole stylesheet in a meta tag. */
const MAX_VALUE_CHARS = 10_000;
/** Tags that are stored under a fixed key of the same name, whatever case the page writes them in. */
const OWN_NAMES = new Set(["title", "description", "keywords", "robots", "language", "favicon", "__proto__"]);

/** Tags by lower-case name, each with the name as the page writes it. */
type Tags = Map<string, { spelling: string; values: Set<string> }>;

/** Reads the metadata of a page: the names of the wire first, then every other tag under its name. */
export function readMetadata({ tree, url }: HtmlView): PageMetadata {
  const tags = collectTags(tree);
  const all = (name: string): string[] | undefined => {
    const values = tags.get(name)?.values;
    return values === undefined ? undefined : [...values];
  };
  const first = (name: string): string | undefined => tags.get(name)?.values.values().next().value;
  const metadata: PageMetadata = {};
  const set = (name: string, value: string | string[] | undefined): void => {
    if (value !== undefined && value.length > 0) metadata[name] = value;
  };

  set("title", plainText(tree.head.title) || first("og:title") || first("twitter:title"));
  set("description", all("description")?.join(", "));
  set("language", tidy(tree.head.language) || first("language"));
  set("keywords", oneOrMany(all("keywords")));
  set("robots", first("robots"));
  set("favicon", readFavicon(tree, baseUrlOf(tree.head.baseHref, url)));
  for (const [name, tag] of Object.entries(NAMED)) set(name, first(tag));
  // Present without values too: clients read a list.
  metadata["ogLocaleAlternate"] = all("og:locale:alternate") ?? [];
  for (const [tag, { spelling, values }] of tags) {
    if (!OWN_NAMES.has(tag) && !Object.hasOwn(metadata, spelling)) set(spelling, oneOrMany([...values]));
  }
  return metadata;
}

function collectTags(tree: HtmlTree): Tags {
  const tags: Tags = new Map();
  const add = (name: string | undefined, value: string): void => {
    const spelling = name === undefined ? "" : tidy(name);
    if (spelling === "") return;
    const known = tags.get(spelling.toLowerCase());
    if (known === undefined) tags.set(spelling.toLowerCase(), { spelling, values: new Set([value]) });
    else known.values.add(value);
  };
  for (const { name, property, itemprop, content } of tree.head.metas) {
    const value = plainText(content ?? "").slice(0, MAX_VALUE_CHARS);
    if (value !== "") for (const label of [name, property, itemprop]) add(label, value);
  }
  return tags;
}

/** Returns the page's icon, else the one for home screens. */
function readFavicon(tree: HtmlTree, baseUrl: string): string | undefined {
  const own = tree.head.links.find(({ rel }) => /(?:^|\s)(?:shortcut\s+)?icon(?:\s|$)/i.test(rel ?? ""));
  const icon = own ?? tree.head.links.find(({ rel }) => /apple-touch-icon/i.test(rel ?? ""));
  return resolveUrl(icon?.["href"], baseUrl);
}

function oneOrMany(values: string[] | undefined): string | string[] | undefined {
  return values?.length === 1 ? values[0] : values;
}

function tidy(text: string): string {
  return text.replace(SPACES, " ").trim();
}

/** Returns a text in one line, with the letters that its site has escaped twice. An address stays unchanged. */
function plainText(text: string): string {
  const line = tidy(text);
  return /^(?:[a-z]+:)?\/\//i.test(line) ? line : decodeLetters(line);
}
