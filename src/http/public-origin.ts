/** Returns the scheme and host of the caller's request, so that URLs in responses use the same ones. */
export function publicOrigin(request: Request): string {
  const url = new URL(request.url);
  const forwarded = request.headers.get("x-forwarded-proto");
  const scheme = forwarded === "https" || forwarded === "http" ? `${forwarded}:` : url.protocol;
  return `${scheme}//${url.host}`;
}
