/** Display texts of the reasons for skipped URLs. Failed URLs have an error message instead. */
const WORDS: Record<string, string | undefined> = {
  DEPTH_LIMIT: "Depth limit exceeded",
  INCLUDE_PATTERN: "Not matched by the include paths",
  EXCLUDE_PATTERN: "Matched by the exclude paths",
  robots: "Blocked by robots.txt",
  FILE_TYPE: "Unsupported file type",
  URL_PARSE_ERROR: "Invalid URL",
  BACKWARD_CRAWLING: "Outside the path of the start URL",
  SOCIAL_MEDIA: "Social network",
  EXTERNAL_LINK: "External site",
  SUBDOMAIN: "Other subdomain",
  SECTION_LINK: "Link within a page",
  NON_WEB_PROTOCOL: "Unsupported protocol",
  WORK_LIMIT: "Too many links, or too much work for the patterns, on its page",
  duplicate: "Duplicate of another URL",
  limit: "Page limit reached",
  cancelled: "Crawl cancelled",
  credits: "Insufficient credits",
  not_found: "No page or sitemap leads to it any more",
  redirected: "Redirects to another page",
  sitemap: "by the sitemap",
  not_modified: "by the site (304)",
  fingerprint: "by its content",
};
const CHANGES = { new: "New", changed: "Changed", unchanged: "Unchanged", removed: "Removed" };

/** Returns the difference to the earlier crawl. */
export function changeInWords(change: keyof typeof CHANGES | undefined): string {
  return change === undefined ? "" : CHANGES[change];
}

export function reasonInWords(reason: string | undefined): string {
  if (reason === undefined) return "";
  return WORDS[reason] ?? reason;
}
