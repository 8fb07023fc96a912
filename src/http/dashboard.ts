/**
 * True for a browser that opens the service's root: it gets the dashboard, while every other client gets JSON. Browsers
 * accept `text/html` when they navigate, and libraries never do.
 */
export function asksForDashboard(request: Request): boolean {
  if (request.method !== "GET" && request.method !== "HEAD") return false;
  return new URL(request.url).pathname === "/" && asksForPage(request);
}

/** True for a client that prefers HTML to JSON: browsers do, libraries do not. */
export function asksForPage(request: Request): boolean {
  const types = (request.headers.get("Accept") ?? "").split(",").map((part) => part.trim().toLowerCase());
  const html = types.findIndex((type) => isWanted(type, "text/html"));
  const json = types.findIndex((type) => isWanted(type, "application/json"));
  return html >= 0 && (json < 0 || html < json);
}

/** True for the path of a guide or of one of its files: static assets, built by `tools/docs/build-docs.ts`. */
export function asksForGuide(request: Request): boolean {
  return ["GET", "HEAD"].includes(request.method) && new URL(request.url).pathname.startsWith("/docs/");
}

/** Reports whether an `Accept` part names the type. A weight of zero excludes it (RFC 9110 § 12.4.2). */
function isWanted(part: string, wanted: string): boolean {
  const [type, ...parameters] = part.split(";").map((piece) => piece.trim());
  return type === wanted && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
}
