/** Reports whether a body calls capabilities instead of scraping a page. */
export function callsCapabilities(body: unknown): boolean {
  return typeof body === "object" && body !== null && "alexandria" in body && !("url" in body);
}
