import type { FrontierItem } from "../../core/crawl/frontier.ts";
import type { PageVersion } from "../../core/crawl/page-version.ts";
import type { ScrapeDocument } from "../../core/scrape/document.ts";
import type { LoadedPage } from "../../core/scrape/page.ts";
import { pageSourceOf } from "../../core/scrape/page-source.ts";
import { sha256Hex } from "../../core/text/hash.ts";

const MAX_ETAG_CHARS = 512;
const MAX_DATE_CHARS = 64;
const FINGERPRINT_CHARS = 32;

interface Derived {
  item: FrontierItem;
  loaded: LoadedPage;
  markdown: string;
  document: ScrapeDocument;
  hasTemplate: boolean;
  readAtMs: number;
}

/**
 * Returns the version of a page. Its fingerprint covers the Markdown and, among the requested formats, those that depend
 * on nothing but the content: `html`, `links`, `images` and `attributes`.
 */
export async function pageVersionOf(derived: Derived): Promise<PageVersion> {
  const { item, loaded, markdown, document, hasTemplate, readAtMs } = derived;
  const { html, links, images, attributes } = document;
  const content = JSON.stringify([markdown, html, links, images, attributes]);
  return {
    fingerprint: (await sha256Hex(content)).slice(0, FINGERPRINT_CHARS),
    readAtMs,
    source: await pageSourceOf(loaded),
    ...validatorsOf(loaded),
    ...(item.sitemapDate === undefined ? {} : { sitemapDate: item.sitemapDate }),
    ...(loaded.url === item.url ? {} : { finalUrl: loaded.url }),
    ...(loaded.engine === "browser" ? { isRendered: true } : {}),
    ...(hasTemplate ? { hasTemplate } : {}),
  };
}

/** Returns the validators of a response (RFC 9110 § 8.8); a browser's page depends on more than its first response. */
export function validatorsOf({ engine, headers }: LoadedPage): Pick<PageVersion, "etag" | "lastModified"> {
  if (engine !== "fetch") return {};
  const { etag = "", "last-modified": lastModified = "" } = headers;
  return {
    ...(/^(?:W\/)?"[\x21\x23-\x7e]*"$/.test(etag) && etag.length <= MAX_ETAG_CHARS ? { etag } : {}),
    ...(lastModified.length <= MAX_DATE_CHARS && !Number.isNaN(Date.parse(lastModified)) ? { lastModified } : {}),
  };
}
