import type { LoadedPage } from "../../../core/scrape/page.ts";
import { hasKnownExtension } from "./kind.ts";

/** Characters of the header that are read. */
const MAX_CHARS = 1_000;
/** `filename*=UTF-8''t.csv` (RFC 8187). The name stays percent-encoded, which its extension is not. */
const EXTENDED = /;\s*filename\*\s*=\s*[\w-]*'[^']*'([^\s;]+)/i;
const PLAIN = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i;

/** Returns the file name of a `Content-Disposition` header (RFC 6266), for a page whose URL has no known extension. */
export function attachmentName({ url, headers }: Pick<LoadedPage, "url" | "headers">): string | undefined {
  const disposition = headers["content-disposition"]?.slice(0, MAX_CHARS);
  if (disposition === undefined || hasKnownExtension(url)) return undefined;
  const plain = PLAIN.exec(disposition);
  return (EXTENDED.exec(disposition)?.[1] ?? plain?.[1] ?? plain?.[2])?.trim();
}
