import { shortAndLong } from "../../sample.ts";
import { describe, expect, test } from "vitest";
import { inject } from "../inject.ts";
import { call, fresh, hits, scrape, scraped, sitePage } from "../client.ts";

const ARRIVED = "You have arrived";
const SECRETS = {
  Cookie: "berth=17",
  Authorization: "Bearer secret-a",
  "X-Secret": "secret-b",
  "Accept-Language": "de",
};

/** A load that must fail, with its status and code. */
async function failure(page: string, options: object = {}): Promise<[status: number, code: string | undefined]> {
  const { status, body } = await scrape(page, options);
  expect(body.success).toBe(false);
  expect(body.error).not.toBe("");
  return [status, body.code];
}

describe("redirects", () => {
  test.each([
    ["/redirect", "/final"],
    ["/redirect/10", "/final"],
    ["/redirect/3?code=308", "/final"],
    ["/redirect-relative/here", "/final?from=relative"],
    ["/redirect-unicode", "/caf%C3%A9"],
    ["/redirect-cookie-loop", "/redirect-cookie-loop"],
    ["/meta-refresh", "/final"],
  ])("of %s are followed to %s", async (page, end) => {
    const { markdown, metadata } = await scraped(page);
    expect(markdown).toContain(ARRIVED);
    expect(metadata).toMatchObject({ sourceURL: sitePage(page), url: sitePage(end), statusCode: 200 });
  });

  test.each(["/redirect/11", "/redirect-loop"])("of %s are given up", async (page) => {
    expect(await failure(page)).toEqual([500, "SCRAPE_REDIRECT_ERROR"]);
  });

  test.each([
    "/redirect-private",
    "/redirect-file",
    "/redirect-to?url=http://10.0.0.1/",
    "/redirect-to?url=http://[::1]/",
  ])("of %s are refused", async (page) => expect(await failure(page)).toEqual([403, "SAFE_MODE_BLOCKED"]));

  test("to the service itself are refused", async () => {
    const target = encodeURIComponent(`${inject("serviceUrl")}/health`);
    expect(await failure(`/redirect-to?url=${target}`)).toEqual([403, "SAFE_MODE_BLOCKED"]);
  });

  test("to nowhere show the page that they come with", async () => {
    const { markdown, metadata } = await scraped("/redirect-nowhere");
    expect(markdown).toContain("Moved, but where to?");
    expect(metadata).toMatchObject({ statusCode: 302, creditsUsed: 0 });
  });

  test("to another origin leave cookies and secrets behind", async () => {
    const { markdown, metadata } = await scraped("/redirect-other?to=/echo", { headers: SECRETS });
    expect(metadata.url).toBe(`${inject("otherSiteUrl")}/echo`);
    expect(markdown).toContain('"accept-language": "de"');
    expect(markdown).not.toMatch(/berth=17|secret-a|secret-b/);
  });

  test("to another host leave cookies and secrets behind in a browser, whose cookies know no ports", async () => {
    const other = `http://localhost:${new URL(inject("otherSiteUrl")).port}/echo`;
    const page = `/redirect-to?url=${encodeURIComponent(other)}`;
    const { markdown, metadata } = await scraped(page, { headers: SECRETS, waitFor: 1 });
    expect(metadata).toMatchObject({ url: other, engine: "browser" });
    expect(markdown).toContain('"method": "GET"');
    expect(markdown).not.toMatch(/berth=17|secret-a|secret-b/);
  });

  test("within the origin keep them", async () => {
    const { markdown } = await scraped("/redirect-to?url=/echo", { headers: { Cookie: "berth=17", "X-Secret": "b" } });
    expect(markdown).toContain('"cookie": "berth=17"');
    expect(markdown).toContain('"x-secret": "b"');
  });
});

describe("a site that answers late or breaks off", () => {
  test.each(["/slow?ms=20000", "/hang", "/stall"])("%s is given up in time", async (page) => {
    expect(await failure(page, { timeout: 1000 })).toEqual([408, "SCRAPE_TIMEOUT"]);
  });

  test("/drip is read to its end", async () => {
    expect((await scraped("/drip?ms=600&n=6")).markdown).toContain("Drop 6 of 6.");
  });

  test("/reset is an error that names what happened", async () => {
    const { status, body } = await scrape("/reset");
    expect({ status, code: body.code }).toEqual({ status: 500, code: "SCRAPE_SITE_ERROR" });
    expect(body.error).toMatch(/reset/i);
  });

  test("a closed port is an error that names what happened", async () => {
    const { status, body } = await scrape("http://127.0.0.1:1/");
    expect({ status, code: body.code }).toEqual({ status: 500, code: "SCRAPE_SITE_ERROR" });
  });

  test.each(["/truncated", "/reset?after=headers", "/compressed/cut"])(
    "%s does not pass for a whole page",
    async (page) => {
      const { body } = await scrape(page);
      expect(body.success ? body.data.warning : body.error).toMatch(/broke|incomplete|cut|reset/i);
    },
  );

  const brokenOff = ["/truncated", "/compressed/cut", "/reset?after=headers", "/cut-chunks"];
  for (const { tags, entries } of shortAndLong(brokenOff, (page) => /truncated|compressed/.test(page)))
    test.each(entries)("%s in a browser is an incomplete page, which is not cached", { tags }, async (page) => {
      const options = { waitFor: 1, maxAge: 60_000 };
      for (let times = 0; times < 2; times++) {
        const { warning, metadata } = await scraped(page, options);
        expect(warning).toContain("so the page is incomplete");
        expect(metadata).toMatchObject({ engine: "browser", cacheState: "miss" });
      }
    });

  test.each(["/not-gzip", "/cut-chunks?body=none"])("%s is an error, in a browser as well", async (page) => {
    expect(await failure(page, { waitFor: 1 })).toEqual([500, "SCRAPE_SITE_ERROR"]);
    expect(await failure(page)).toEqual([500, "SCRAPE_SITE_ERROR"]);
  });

  test.each(["/reset", "/reset?after=headers", "/cut-chunks"])("%s costs the site three requests", async (page) => {
    const { pathname } = new URL(sitePage(page));
    const before = await hits(pathname);
    await scrape(page);
    expect((await hits(pathname)) - before).toBe(3);
  });

  test("/not-http is an error that says so, in a browser as well", async () => {
    for (const options of [{}, { waitFor: 1 }]) {
      const { status, body } = await scrape("/not-http", options);
      expect([status, body.code]).toEqual([500, "SCRAPE_SITE_ERROR"]);
      expect(body.error).toMatch(/not valid HTTP|ERR_INVALID_HTTP_RESPONSE/);
    }
  });

  test("/two-responses is the page of the first one, in a browser as well", async () => {
    for (const options of [{}, { waitFor: 1 }]) {
      const { markdown, warning } = await scraped("/two-responses", options);
      expect(markdown).toContain(ARRIVED);
      expect(warning).toBeUndefined();
    }
  });

  test("a status that no browser knows comes through one", async () => {
    const { markdown, metadata } = await scraped("/status-999", { waitFor: 1 });
    expect(markdown).toContain("harbour master");
    expect(metadata).toMatchObject({ statusCode: 999, creditsUsed: 0, engine: "browser" });
  });

  test("errors that pass are tried again", async () => {
    const { markdown, metadata } = await scraped(fresh("/flaky"));
    expect(markdown).toContain("Attempt 3 got through.");
    expect(metadata.attempts?.map(({ outcome, reason }) => reason ?? outcome)).toEqual([
      "http_500",
      "http_500",
      "loaded",
    ]);
    expect((await scraped(fresh("/flaky-reset"))).markdown).toContain("Attempt 2 got through.");
  });

  test("errors that stay are the answer", async () => {
    const { metadata } = await scraped(fresh("/flaky?fails=9"));
    expect(metadata).toMatchObject({ statusCode: 500, error: "Internal Server Error", creditsUsed: 0 });
  });

  test("Retry-After is kept when it is short, and left to the caller when it is long", async () => {
    const startedAtMs = Date.now();
    const { markdown } = await scraped(fresh("/rate-limited?after=1"));
    expect(markdown).toContain("Attempt 2 got through.");
    expect(Date.now() - startedAtMs).toBeGreaterThanOrEqual(1000);
    const before = await hits("/unavailable");
    const { metadata } = await scraped("/unavailable");
    expect(metadata).toMatchObject({ statusCode: 503, error: "Service Unavailable" });
    expect(await hits("/unavailable")).toBe(before + 1);
    const limited = await scraped(fresh("/rate-limited?after=3600"));
    expect(limited.metadata).toMatchObject({ statusCode: 429, error: "Too Many Requests" });
  });
});

describe("a site that refuses", () => {
  test.each([
    { page: "/bot-wall", status: 403, reason: "bot_wall" },
    { page: "/bot-wall/503", status: 503, reason: "bot_wall" },
    { page: "/bot-wall/200", status: 200, reason: "bot_wall" },
    { page: "/walls/cloudflare-200?kb=118", status: 200, reason: "bot_wall" },
    { page: "/captcha", status: 429, reason: "bot_wall" },
    { page: "/access-denied", status: 403, reason: "access_denied" },
  ])("is reported as blocked and costs nothing: $page", async ({ page, status, reason }) => {
    const { metadata, warning } = await scraped(page, { fastMode: true });
    expect(metadata).toMatchObject({ statusCode: status, error: `Blocked by the site (${reason})`, creditsUsed: 0 });
    expect(warning).toMatch(/challenge for robots|denied access/);
  });

  test("is asked by a browser before it is reported", async () => {
    const { metadata } = await scraped("/access-denied");
    expect(metadata).toMatchObject({ error: "Blocked by the site (access_denied)", creditsUsed: 0, engine: "browser" });
    expect(metadata.attempts?.map(({ engine }) => engine)).toEqual(["fetch", "browser"]);
  });

  test.each(["/bot-wall/passable", "/browser-only"])("but lets a browser through is read: %s", async (page) => {
    const { markdown, metadata } = await scraped(page);
    expect(markdown).toContain("A seagrass seed is the size of a grain of rice");
    expect(metadata).toMatchObject({ statusCode: 200, creditsUsed: 1, engine: "browser" });
    expect(metadata).not.toHaveProperty("error");
  });

  test.each([
    { page: "/login-wall", warns: "asks for a login" },
    { page: "/account", warns: "asks for a login" },
    { page: "/soft-404", warns: "says that it does not exist" },
    { page: "/soft-404/any/name", warns: "says that it does not exist" },
    { page: "/empty", warns: "no visible text" },
    { page: "/blank", warns: "no visible text" },
    { page: "/no-content", warns: "no visible text" },
  ])("its content warns instead: $page", async ({ page, warns }) => {
    const { metadata, warning } = await scraped(page);
    expect(warning).toContain(warns);
    expect(metadata).not.toHaveProperty("error");
  });

  test.each([
    ["/missing", 404, "Not Found"],
    ["/gone", 410, "Gone"],
    ["/basic-auth", 401, "Unauthorized"],
    ["/status/418", 418, "I'm a teapot"],
  ])("%s answers with its status %d", async (page, statusCode, error) => {
    const { markdown, metadata } = await scraped(page);
    expect(metadata).toMatchObject({ statusCode, error, creditsUsed: 1 });
    expect(markdown).not.toBe("");
  });

  test("a consent layer does not hide the article", async () => {
    const { markdown, warning } = await scraped("/consent");
    expect(markdown).toContain("What the dredger found");
    expect(warning).toBeUndefined();
  });
});

describe("a page that is too much", () => {
  /** Until 50 MB have come, on a machine that does much else. */
  const LONG_MS = 100_000;

  /** The service took no harm: it still answers, and still scrapes. */
  async function stillWorks(): Promise<void> {
    expect((await call("/health")).status).toBe(200);
    expect((await scraped("/final")).markdown).toContain(ARRIVED);
  }

  test.each(["/bomb", "/bomb-br", "/bomb-twice", "/huge?mb=60", "/huge?mb=60&length=1", "/endless"])(
    "is given up: %s",
    async (page) => {
      expect(await failure(page, { timeout: LONG_MS })).toEqual([500, "SCRAPE_BODY_TOO_LARGE"]);
      await stillWorks();
    },
  );

  test("is given up also where a browser is asked for", { tags: ["long"] }, async () => {
    expect(await failure("/bomb", { timeout: LONG_MS, waitFor: 1 })).toEqual([500, "SCRAPE_BODY_TOO_LARGE"]);
    await stillWorks();
  });

  const large = [
    { page: "/huge?mb=4", says: "The long book" },
    { page: "/deep", says: "The bottom of the well." },
    { page: "/deep?n=20000&tag=ul", says: "The bottom of the well." },
    { page: "/long-line", says: "The end of the line." },
    { page: "/long-header?kb=100", says: ARRIVED },
    { page: "/chunked", says: ARRIVED },
  ];
  for (const { tags, entries } of shortAndLong(large, ({ page }) => !page.startsWith("/huge")))
    test.each(entries)("is read as long as it can be: $page", { tags }, async ({ page, says }) => {
      expect((await scraped(page)).markdown).toContain(says);
    });

  test("gives all of its links", async () => {
    const { links } = await scraped("/many-links?n=10000", { formats: ["links"] });
    expect(links).toContain(sitePage("/tree/10000"));
    expect(links?.length).toBeGreaterThanOrEqual(10_000);
  });

  const hanging = ["/app/hang?hang=now", "/app/hang?hang=1"];
  for (const { tags, entries } of shortAndLong(hanging, (page) => page.endsWith("1")))
    test.each(entries)("keeps no browser busy: %s", { tags }, async (page) => {
      const { body } = await scrape(page, { timeout: 4000, waitFor: 1 });
      expect(body.code).toBe("SCRAPE_TIMEOUT");
      expect((await scraped("/client-info", { waitFor: 1, onlyMainContent: false })).markdown).toContain("1920x1080");
    });
});

describe("a site that lets verified robots pass", () => {
  const directory = `${inject("serviceUrl")}/.well-known/http-message-signatures-directory`;
  const query = `?directory=${encodeURIComponent(directory)}`;

  test("refuses requests without a signature", async () => {
    expect((await fetch(sitePage(`/signed-only${query}`))).status).toBe(403);
  });

  test.each([
    { page: "/signed-only", options: {}, engine: "a request" },
    { page: "/signed-only", options: { waitFor: 1 }, engine: "a browser" },
    { page: "/signed-only/moved", options: {}, engine: "a request that is redirected" },
    { page: "/signed-only/moved", options: { waitFor: 1 }, engine: "a browser that is redirected" },
  ])("is read by $engine", async ({ page, options }) => {
    const { markdown } = await scraped(`${page}${query}`, options);
    expect(markdown).toContain("High water at Harrow Bay is at ten past six today.");
  });

  test("reads the keys from a directory of their own type", async () => {
    const response = await fetch(directory);
    expect(response.headers.get("content-type")).toBe("application/http-message-signatures-directory+json");
    expect(response.headers.get("signature-input")).toContain('tag="http-message-signatures-directory"');
  });
});
