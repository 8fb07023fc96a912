import { describe, expect, test } from "vitest";
import { isAdRequest } from "../../../../src/core/scrape/ad-hosts.ts";
import { guardDocument, guardWorker } from "../../../../src/platform/browser/requests/document-policy.ts";
import { respondWithDocument } from "../../../../src/platform/browser/requests/document-response.ts";
import { navigationError } from "../../../../src/platform/browser/requests/navigation-errors.ts";
import { cookiesOf, isSendable, isWritten } from "../../../../src/platform/browser/requests/request-headers.ts";

test.each([
  ["net::ERR_NAME_NOT_RESOLVED", "SCRAPE_DNS_RESOLUTION_ERROR"],
  ["net::ERR_CERT_DATE_INVALID", "SCRAPE_SSL_ERROR"],
  ["net::ERR_CERT_AUTHORITY_INVALID", "SCRAPE_SSL_ERROR"],
  ["net::ERR_SSL_PROTOCOL_ERROR", "SCRAPE_SSL_ERROR"],
  ["net::ERR_BAD_SSL_CLIENT_AUTH_CERT", "SCRAPE_SSL_ERROR"],
  ["net::ERR_TOO_MANY_REDIRECTS", "SCRAPE_REDIRECT_ERROR"],
  ["net::ERR_CONNECTION_TIMED_OUT", "SCRAPE_TIMEOUT"],
  ["net::ERR_CONNECTION_REFUSED", "SCRAPE_SITE_ERROR"],
  ["net::ERR_CONNECTION_RESET", "SCRAPE_SITE_ERROR"],
  ["net::ERR_TUNNEL_CONNECTION_FAILED", "SCRAPE_SITE_ERROR"],
  ["net::ERR_EMPTY_RESPONSE", "SCRAPE_SITE_ERROR"],
])("%s is %s", (errorText, code) => {
  const error = navigationError(errorText, "https://example.com/page");
  expect(error.code).toBe(code);
  if (code === "SCRAPE_SITE_ERROR") expect(error.message).toContain(errorText.slice("net::".length));
});

describe("requests for advertisements", () => {
  const page = "https://news.example.com/";
  test.each([
    "https://securepubads.g.doubleclick.net/tag/js/gpt.js",
    "https://www.google-analytics.com/collect?v=1",
    "https://news.example.com/ads/banner.js",
    "https://cdn.example.com/pagead/show.js",
    "https://cdn.example.com/js/analytics.js?v=2",
    "https://connect.facebook.net/en_US/fbevents.js",
    "https://example.com/x?ad_slot=12",
  ])("%s is one", (url) => expect(isAdRequest(url, page)).toBe(true));
  test.each([
    "https://news.example.com/uploads/photo.jpg",
    "https://news.example.com/roads/map.js",
    "https://news.example.com/downloads/file.js",
    "https://cdn.example.com/app.js",
    "https://notdoubleclick.network/app.js",
    "https://example.com/analytics-explained.html",
    "not a url",
  ])("%s is none", (url) => expect(isAdRequest(url, page)).toBe(false));
  test("what a site of the list needs for its own pages is none", () => {
    expect(isAdRequest("https://static.hotjar.com/app.js", "https://www.hotjar.com/")).toBe(false);
    expect(isAdRequest("https://static.hotjar.com/app.js", page)).toBe(true);
  });
});

describe("a document's policy", () => {
  const headers = [
    { name: "Content-Type", value: "text/html" },
    { name: "Content-Security-Policy", value: "default-src 'self'" },
    { name: "Content-Length", value: "12" },
    { name: "Content-Encoding", value: "br" },
    { name: "Cross-Origin-Opener-Policy", value: "same-origin" },
    { name: "Speculation-Rules", value: '"/rules.json"' },
    { name: "Set-Cookie", value: "a=b" },
  ];
  const policies = (guarded: { name: string; value: string }[]) =>
    guarded.filter(({ name }) => name === "Content-Security-Policy").map(({ value }) => value);

  test("is added to the document's own, and transfer and opener headers go", () => {
    const guarded = guardDocument(headers, "https://example.com:8443/page");
    expect(guarded.map(({ name }) => name)).toEqual([
      "Content-Type",
      "Content-Security-Policy",
      "Content-Security-Policy",
    ]);
    expect(policies(guarded)[0]).toBe("default-src 'self'");
  });

  test("lets no window open, and sockets reach the page's own host alone", () => {
    const [, policy = ""] = policies(guardDocument(headers, "https://example.com:8443/page"));
    expect(policy).toMatch(/^sandbox .*allow-scripts/);
    expect(policy).not.toMatch(/allow-popups|allow-downloads/);
    expect(policy).toContain("connect-src http: https: data: blob: wss://example.com:8443;");
  });

  test("sandboxes no worker", () => {
    const [, policy] = policies(guardWorker(headers, "http://example.com/worker.js"));
    expect(policy).toBe("connect-src http: https: data: blob: ws://example.com wss://example.com; webrtc 'block'");
  });
});

describe("a response to a navigation", () => {
  const answer = (
    body: string | undefined,
    headers: Record<string, string>,
    { status = 200, mayBeText = false }: { status?: number | undefined; mayBeText?: boolean | undefined } = {},
  ) =>
    respondWithDocument(
      {
        requestId: "1",
        request: {
          url: "https://example.com/",
          method: "GET",
          headers: {},
          initialPriority: "High",
          referrerPolicy: "origin",
        },
        frameId: "frame",
        resourceType: "Document",
        responseStatusCode: status,
        responseHeaders: Object.entries(headers).map(([name, value]) => ({ name, value })),
      },
      { mayBeText, readBody: async () => (body === undefined ? undefined : Buffer.from(body, "latin1")) },
    );

  test.each<{
    why: string;
    body?: string;
    headers: Record<string, string>;
    status?: number;
    mayBeText?: boolean;
    outcome: object;
  }>([
    ...["\u001f\u008b\u0008\u0000", "\u0028\u00b5\u002f\u00fd\u0000"].map((body) => ({
      why: "a body that is still compressed",
      body,
      headers: { "Content-Type": "text/html", "Content-Encoding": "gzip" },
      outcome: { kind: "unreadable", outcome: { kind: "failed", code: "SCRAPE_UNSUPPORTED_FILE_ERROR" } },
    })),
    { why: "HTML", body: "<p>x", headers: { "Content-Type": "text/html" }, outcome: { kind: "fulfill" } },
    {
      why: "XHTML",
      body: "<html/>",
      headers: { "content-type": "application/xhtml+xml" },
      outcome: { kind: "fulfill" },
    },
    { why: "HTML without a type", body: "\n<!DOCTYPE html><p>", headers: {}, outcome: { kind: "fulfill" } },
    { why: "text without a type", body: "hello", headers: {}, outcome: { kind: "unreadable" } },
    {
      why: "a PDF by another name",
      body: "%PDF-1.7",
      headers: { "content-type": "text/html" },
      outcome: { kind: "unreadable" },
    },
    {
      why: "JSON",
      headers: { "content-type": "application/json; charset=utf-8" },
      outcome: { kind: "unreadable", outcome: { kind: "insufficient", reason: "not_html:application/json" } },
    },
    {
      why: "a page of which nothing could be unpacked",
      body: "",
      headers: { "content-type": "text/html", "content-encoding": "br", "content-length": "900" },
      outcome: { kind: "unreadable", outcome: { kind: "failed", code: "SCRAPE_SITE_ERROR" } },
    },
    {
      why: "an empty page that is packed",
      body: "",
      headers: { "content-type": "text/html", "content-encoding": "gzip", "content-length": "20" },
      outcome: { kind: "fulfill" },
    },
    {
      why: "an attachment",
      headers: { "content-type": "text/html", "content-disposition": 'attachment; filename="a.html"' },
      outcome: { kind: "unreadable", outcome: { kind: "insufficient", reason: "download" } },
    },
    {
      why: "a body that is too long by its header",
      headers: { "content-type": "text/html", "content-length": "30000000" },
      outcome: { kind: "unreadable", outcome: { kind: "failed", code: "SCRAPE_BODY_TOO_LARGE" } },
    },
    {
      why: "a body that turns out too long",
      headers: { "content-type": "text/html" },
      outcome: { kind: "unreadable", outcome: { kind: "failed", code: "SCRAPE_BODY_TOO_LARGE" } },
    },
    { why: "no content", headers: {}, status: 204, outcome: { kind: "empty" } },
    {
      why: "JSON to which a page leads",
      body: "{}",
      mayBeText: true,
      headers: { "content-type": "application/json" },
      outcome: { kind: "fulfill" },
    },
    {
      why: "a picture to which a page leads",
      body: "GIF89a",
      mayBeText: true,
      headers: { "content-type": "image/gif" },
      outcome: { kind: "unreadable", outcome: { kind: "insufficient", reason: "not_html:image/gif" } },
    },
  ])("$why", async ({ body, headers, outcome, ...more }) => {
    expect(await answer(body, headers, more)).toMatchObject(outcome);
  });

  test("keeps repeated headers and lower-cases names", async () => {
    const { document } = await answer("<p>", { "Content-Type": "text/html", "X-A": "1", "x-a": "2" });
    expect(document.headers).toEqual({ "content-type": "text/html", "x-a": "1, 2" });
  });
});

test.each([
  ["Authorization", true, true],
  ["X-Anything", true, true],
  ["Cookie", true, false],
  ["User-Agent", true, false],
  ["referer", true, false],
  ["Host", false, false],
  ["Content-Length", false, false],
  ["Proxy-Authorization", false, false],
])("%s: a browser can send it: %s; it is written into requests: %s", (name, sendable, written) => {
  expect([isSendable(name), isWritten(name)]).toEqual([sendable, written]);
});

test("a Cookie header becomes cookies", () => {
  const url = "https://example.com/";
  expect(cookiesOf({ cookie: "a=1; b=x=y;; c" }, url)).toEqual([
    { name: "a", value: "1", url, secure: true },
    { name: "b", value: "x=y", url, secure: true },
    { name: "c", value: "", url, secure: true },
  ]);
  expect(cookiesOf({ cookie: "a=1" }, "http://example.com/")).toMatchObject([{ secure: false }]);
  expect(cookiesOf({}, url)).toEqual([]);
});
