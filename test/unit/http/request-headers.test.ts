import { expect, test } from "vitest";
import { testApp } from "../../fakes/services/test-app.ts";

const URL_OF_PAGE = "https://example.com/";

test.each([
  { why: "a space in its name", headers: { "bad name": "1" }, says: "not a valid header name" },
  { why: "an empty name", headers: { "": "1" }, says: "not a valid header name" },
  { why: "a pseudo-header's name", headers: { ":authority": "a" }, says: "not a valid header name" },
  { why: "a line break in its name", headers: { "a\r\nb": "1" }, says: "not a valid header name" },
  { why: "a line break in its value", headers: { a: "1\r\nHost: b" }, says: "characters that a header cannot hold" },
  { why: "characters beyond Latin-1", headers: { a: "\u4e00" }, says: "characters that a header cannot hold" },
  { why: "the name of the server", headers: { Host: "internal" }, says: "set by the service" },
  { why: "the framing of the message", headers: { "Transfer-Encoding": "chunked" }, says: "set by the service" },
  { why: "a value without end", headers: { a: "x".repeat(20_000) }, says: "longer than" },
])("a header with $why is refused on every route that takes headers", async ({ headers, says }) => {
  const { post } = testApp();
  const bodies: [string, object][] = [
    ["/v2/scrape", { url: URL_OF_PAGE, headers }],
    ["/v1/scrape", { url: URL_OF_PAGE, headers }],
    ["/v2/batch/scrape", { urls: [URL_OF_PAGE], headers }],
    ["/v2/crawl", { url: URL_OF_PAGE, scrapeOptions: { headers } }],
  ];
  for (const [path, body] of bodies) {
    const response = await post(path, body);
    expect(response.status, path).toBe(400);
    const text = JSON.stringify(await response.json());
    expect(text, path).toContain('"success":false');
    expect(text, path).toContain(says);
  }
});
