/** Scheme and host under which the caller reached us, so that URLs in answers lead back the same way. */
export function publicOrigin(request: Request): string {
  const url = new URL(request.url);
  const forwarded = request.headers.get("x-forwarded-proto");
  const scheme = forwarded === "https" || forwarded === "http" ? `${forwarded}:` : url.protocol;
  return `${scheme}//${url.host}`;
}
