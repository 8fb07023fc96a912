import type { SitemapsFound } from "./discover-sitemaps.ts";

/** Files that a warning names. */
const MAX_FILES = 3;
const MAX_CHARS = 300;

/**
 * Returns what a warning says of sitemaps: the problems with the first files, the number of the others that have problems, and
 * the number of those that the limits left out. Empty when all were read.
 */
export function wordsOnSitemaps({ problems, unread }: Pick<SitemapsFound, "problems" | "unread">): string[] {
  const left = problems.length - MAX_FILES;
  return [
    ...problems.slice(0, MAX_FILES).map((text) => text.slice(0, MAX_CHARS)),
    ...(left > 0 ? [`${left} more sitemap(s) could not be read completely`] : []),
    ...(unread > 0 ? [`${unread} further sitemap(s) were not read, because of the limits`] : []),
  ];
}
