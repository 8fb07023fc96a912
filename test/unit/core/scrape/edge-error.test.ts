import { describe, expect, test } from "vitest";
import { edgeErrorOf } from "../../../../src/core/scrape/edge-error.ts";

const headers = { server: "cloudflare", "content-type": "text/plain; charset=UTF-8" };
const text = (statusCode: number, number = statusCode) => ({ statusCode, headers, body: `error code: ${number}` });

/** The page that the edge shows to browsers, as far as it can be told by. */
const page = (number: number, title: string) =>
  `<!DOCTYPE html><html><head><title>${title}</title></head><body><div id="cf-wrapper"><div id="cf-error-details">
   <h1><span class="cf-error-type">Error</span> <span class="cf-error-code">${number}</span></h1></div></div></body></html>`;

describe("error responses of the edge", () => {
  test.each([
    [text(520), "SCRAPE_SITE_ERROR"],
    [text(521), "SCRAPE_SITE_ERROR"],
    [text(522), "SCRAPE_TIMEOUT"],
    [text(523), "SCRAPE_SITE_ERROR"],
    [text(524), "SCRAPE_TIMEOUT"],
    [text(525), "SCRAPE_SSL_ERROR"],
    [text(526), "SCRAPE_SSL_ERROR"],
    [text(527), "SCRAPE_SITE_ERROR"],
    [text(530, 1016), "SCRAPE_DNS_RESOLUTION_ERROR"],
    [text(530, 1001), "SCRAPE_DNS_RESOLUTION_ERROR"],
    [text(530, 1033), "SCRAPE_SITE_ERROR"],
    [text(530, 1999), "SCRAPE_SITE_ERROR"],
    [text(409, 1001), "SCRAPE_DNS_RESOLUTION_ERROR"],
    [text(403, 1003), "SCRAPE_SITE_ERROR"],
    [text(403, 1000), "SCRAPE_SITE_ERROR"],
  ])("%j is %s", (response, code) => {
    const number = Number(/\d+$/.exec(response.body)?.[0]);
    expect(edgeErrorOf(response)).toMatchObject({ code, number });
    expect(edgeErrorOf({ ...response, body: new TextEncoder().encode(response.body) })).toMatchObject({ code, number });
  });

  test.each([
    { statusCode: 522, body: page(522, "shop.example | 522: Connection timed out"), code: "SCRAPE_TIMEOUT" },
    { statusCode: 526, body: page(526, "shop.example | 526: Invalid SSL certificate"), code: "SCRAPE_SSL_ERROR" },
    {
      statusCode: 530,
      body: page(1016, "Origin DNS error | shop.example | Cloudflare"),
      code: "SCRAPE_DNS_RESOLUTION_ERROR",
    },
    {
      statusCode: 521,
      body: '<html><head><meta charset="utf-8"></head><body><pre style="white-space: pre-wrap;">error code: 521</pre></body></html>',
      code: "SCRAPE_SITE_ERROR",
    },
  ])("the page for browsers with status $statusCode is $code", ({ statusCode, body, code }) => {
    expect(edgeErrorOf({ statusCode, headers, body })).toMatchObject({ code });
  });
});

describe("responses of sites", () => {
  test.each([
    ["a page with status 200 that quotes an error", { statusCode: 200, headers, body: "error code: 522" }],
    ["a refusal of the site", { statusCode: 403, headers, body: page(1020, "Access denied | shop.example") }],
    ["a refusal in short text", text(403, 1020)],
    ["a limit of the site", { statusCode: 429, headers, body: "error code: 1015" }],
    ["an error page of its own", { statusCode: 522, headers, body: "<h1>We will be back soon</h1>" }],
    ["an article about such errors", { statusCode: 403, headers, body: `<p>What error code: 1003 means</p>` }],
    ["the short text from another server", { ...text(522), headers: { server: "nginx" } }],
    ["the short text of a server without a name", { ...text(530, 1016), headers: {} }],
    ["a number that is not its status", text(521, 522)],
    ["a large page", { statusCode: 522, headers, body: page(522, "x | 522: Connection timed out").padEnd(40_000) }],
    ["a bad gateway", { statusCode: 502, headers, body: "error code: 502" }],
  ])("%s stays a response", (_, response) => {
    expect(edgeErrorOf(response)).toBeUndefined();
  });
});
