/** One entry of a sitemap or feed. */
export interface SitemapUrl {
  url: string;
  /** As written in the file, usually a W3C date. */
  lastModified?: string;
  /** Of feeds and news sitemaps. */
  title?: string;
}
