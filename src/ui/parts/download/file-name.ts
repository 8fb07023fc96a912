const MAX_NAME = 80;

/** Returns a file name for a page: `example.com-articles-ferry.md`. */
export function fileNameOf(url: string | undefined, ending: string): string {
  const plain = (url ?? "result")
    .replace(/^https?:\/\//, "")
    .replaceAll(/[^\w.-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  return `${plain.slice(0, MAX_NAME) || "result"}.${ending}`;
}
