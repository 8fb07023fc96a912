import type { HtmlView } from "./read-html.ts";
import { baseUrlOf, resolveUrl } from "./resolve-url.ts";
import type { HtmlTree } from "./tree.ts";

/** What a page says about itself; a name that stands several times has a list. */
export type PageMetadata = Record<string, string | string[] | number>;

/** Names of the wire and the tags that they are read from (contract § 6.3). */
const NAMED: Record<string, string> = {
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
};

const SPACES = /\s+/g;
/** Values beyond this are data in disguise, such as whole stylesheets in a meta tag. */
const MAX_VALUE_CHARS = 10_000;

/** Tags by lower-case name, each with the name as the page writes it. */
type Tags = Map<string, { spelling: string; values: string[] }>;

/** Reads the metadata of a page: the wire's own names first, then every other tag under the name that it has. */
export function readMetadata({ tree, url }: HtmlView): PageMetadata {
  const tags = collectTags(tree);
  const all = (name: string): string[] | undefined => tags.get(name)?.values;
  const first = (name: string): string | undefined => all(name)?.[0];
  const metadata: PageMetadata = {};
  const set = (name: string, value: string | string[] | undefined): void => {
    if (value !== undefined && value.length > 0) metadata[name] = value;
  };

  set("title", tidy(tree.head.title) || first("og:title") || first("twitter:title"));
  set("description", all("description")?.join(", "));
  set("language", tidy(tree.head.language));
  set("keywords", oneOrMany(all("keywords")));
  set("robots", first("robots"));
  set("favicon", readFavicon(tree, baseUrlOf(tree.head.baseHref, url)));
  for (const [name, tag] of Object.entries(NAMED)) set(name, first(tag));
  set("ogLocaleAlternate", all("og:locale:alternate"));
  for (const [tag, { spelling, values }] of tags) {
    if (tag !== "title" && !(spelling in metadata)) set(spelling, oneOrMany(values));
  }
  return metadata;
}

function collectTags(tree: HtmlTree): Tags {
  const tags: Tags = new Map();
  const add = (name: string | undefined, content: string | undefined): void => {
    const spelling = tidy(name ?? "");
    const value = tidy(content ?? "");
    if (spelling === "" || value === "" || value.length > MAX_VALUE_CHARS) return;
    const known = tags.get(spelling.toLowerCase());
    if (known === undefined) tags.set(spelling.toLowerCase(), { spelling, values: [value] });
    else if (!known.values.includes(value)) known.values.push(value);
  };
  for (const meta of tree.head.metas) add(meta["name"] ?? meta["property"] ?? meta["itemprop"], meta["content"]);
  return tags;
}

/** The page's own icon, else the one for home screens. */
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
