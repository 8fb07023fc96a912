/** Headers of the connection or the body; a browser sends its own (Fetch standard, forbidden headers). */
const CONNECTION_HEADERS = new Set([
  "accept-charset",
  "accept-encoding",
  "connection",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** True for the caller's request headers that a browser can send for a page. */
export function isSendable(name: string): boolean {
  const lower = name.toLowerCase();
  return !CONNECTION_HEADERS.has(lower) && !lower.startsWith("proxy-") && !lower.startsWith(":");
}

/** Headers that are applied by other means than by writing them into requests. */
const TRANSLATED_HEADERS = new Set(["cookie", "referer", "user-agent"]);

/** True for headers that are written into requests to the page's own origin. */
export function isWritten(name: string): boolean {
  return isSendable(name) && !TRANSLATED_HEADERS.has(name.toLowerCase());
}

/** Returns the cookies of a `Cookie` header, for the host of `url` alone, on all of its ports (RFC 6265 § 4.2, § 8.5). */
export function cookiesOf(
  headers: Record<string, string>,
  url: string,
): { name: string; value: string; url: string; secure: boolean }[] {
  // Without TLS everybody on the way would read them.
  const secure = url.startsWith("https:");
  const header = Object.entries(headers).find(([name]) => name.toLowerCase() === "cookie")?.[1] ?? "";
  return header.split(";").flatMap((pair) => {
    const [name = "", ...rest] = pair.split("=");
    return name.trim() === "" ? [] : [{ name: name.trim(), value: rest.join("=").trim(), url, secure }];
  });
}
