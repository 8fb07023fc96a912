import { foldText } from "../../../core/search/words.ts";
import { resolveUrl } from "../../html/resolve-url.ts";
import type { HtmlTree } from "../../html/tree/tree.ts";
import { decodeLetters } from "../../text/decode-letters.ts";
import { textFact, type Fact } from "../facts.ts";
import { readSiteName } from "./page-names.ts";
import { withoutPrototype } from "../../../core/without-prototype.ts";

/** Tags whose name alone does not show their meaning. Others are identified by their name without its vocabulary. */
const LABELS: Record<string, string> = withoutPrototype({
  "product:price:amount": "price",
  "product:price:currency": "currency",
  "product:retailer_item_id": "sku",
  "og:price:amount": "price",
  "og:price:currency": "currency",
  "article:published_time": "date published",
  "article:modified_time": "date modified",
  "article:author": "author",
  "article:section": "category",
  "book:author": "author",
  "og:site_name": "site name",
  "og:title": "title",
  "og:image": "image",
  "og:url": "url",
  "business:contact_data:phone_number": "phone",
  "business:contact_data:street_address": "street",
  "business:contact_data:locality": "city",
  "business:contact_data:email": "email",
  citation_title: "title",
  citation_author: "author",
  citation_publication_date: "date published",
  citation_doi: "doi",
  citation_journal_title: "journal",
});

const USEFUL =
  /^(?:og:(?!type|locale|image:|video|audio|determiner)|article:|product:|book:|business:|citation_|dc\.|dcterms\.|profile:|music:|video:)|^(?:author|description|keywords|date|pubdate|geo\.placename)$/i;

/** Files that systems name where a page, or a person, has no picture. */
export const NO_PICTURE =
  /\/(?:blank|spacer|pixel|placeholder|transparent|1x1|no-?image|default[_-]?(?:photo|avatar|image|user))[^/]*\.(?:jpe?g|png|gif|webp|svg)/i;

/** Reads the tags of a page's head: Open Graph, Dublin Core, citations, the usual names. */
export function readMetaTags({ head }: Pick<HtmlTree, "head">, baseUrl: string): Fact[] {
  const facts: Fact[] = [];
  const seen = new Map<string, number>();
  const site = head.metas.find(({ property }) => property?.toLowerCase() === "og:site_name")?.content ?? "";
  for (const { name, property, content = "" } of head.metas) {
    const tag = (property ?? name ?? "").toLowerCase();
    if (!USEFUL.test(tag) || content.trim() === "") continue;
    const label = LABELS[tag] ?? tag.replace(/^.*[:.]|^citation_/, "").replaceAll("_", " ");
    // A site that names itself as the author of every page names nobody.
    if (label === "author" && (/^https?:/.test(content) || namesSite(content, site, baseUrl))) continue;
    if (label === "image" && NO_PICTURE.test(content)) continue;
    if (label === "site name") {
      const named = readSiteName(decodeLetters(content), baseUrl);
      if (named !== "") facts.push({ label, value: textFact(named, { machine: named }), source: "meta" });
      continue;
    }
    const times = seen.get(tag) ?? 0;
    seen.set(tag, times + 1);
    if (times > 20) continue;
    const href = /^(?:https?:)?\//.test(content) ? resolveUrl(content, baseUrl) : undefined;
    const text = href === undefined ? decodeLetters(content) : content;
    facts.push({ label, value: textFact(text, { machine: text, href }), source: "meta" });
  }
  const canonical = head.links.find(({ rel }) => rel?.toLowerCase() === "canonical");
  const href = resolveUrl(canonical?.["href"], baseUrl);
  if (href !== undefined) facts.push({ label: "url", value: textFact(href, { href, machine: href }), source: "meta" });
  return facts;
}

/** Reports whether an author is the site: its name, or one word that is a part of its host. */
function namesSite(author: string, site: string, baseUrl: string): boolean {
  const folded = foldText(author.trim());
  if (folded === foldText(site.trim())) return true;
  return URL.canParse(baseUrl) && new URL(baseUrl).hostname.split(".").slice(0, -1).includes(folded);
}
