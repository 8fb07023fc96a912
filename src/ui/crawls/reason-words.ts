/** Why a URL was not scraped, in words. Codes of failed pages come with words of their own. */
const WORDS: Record<string, string | undefined> = {
  DEPTH_LIMIT: "deeper than allowed",
  INCLUDE_PATTERN: "not among the included paths",
  EXCLUDE_PATTERN: "among the excluded paths",
  ROBOTS_TXT: "disallowed by robots.txt",
  robots: "disallowed by robots.txt",
  FILE_TYPE: "a kind of file that is not scraped",
  URL_PARSE_ERROR: "not an address",
  BACKWARD_CRAWLING: "above the start's path",
  SOCIAL_MEDIA: "a social network",
  EXTERNAL_LINK: "another site",
  SUBDOMAIN: "another subdomain",
  SECTION_LINK: "a part of a page",
  NON_WEB_PROTOCOL: "no web address",
  duplicate: "the same page under another address",
  limit: "beyond the crawl's limit",
  cancelled: "the crawl was cancelled first",
  credits: "the credits were used up",
};

export function reasonInWords(reason: string | undefined): string {
  if (reason === undefined) return "";
  return WORDS[reason] ?? reason;
}
