import { describe, expect, inject, test } from "vitest";
import type { LoadedPage } from "../../../src/core/scrape/page.ts";
import type { BrowserRequest } from "../../../src/ports/browser.ts";
import { browserRequest, loadPage, testBrowser } from "./browser-helpers.ts";
import { given } from "../../fakes/given.ts";
import { isShort, shortAndLong } from "../../sample.ts";

const site = inject("siteUrl");
const otherSite = inject("otherSiteUrl");

/** Text of an element by its id. */
const textOf = (html: string, id: string): string | undefined => new RegExp(`id="${id}"[^>]*>([^<]*)<`).exec(html)?.[1];

const loaded = new Map<string, ReturnType<typeof loadPage>>();

/** A page as it is without options, which is loaded once for all tests that look at it. */
function plainPage(path: string): ReturnType<typeof loadPage> {
  const loading = loaded.get(path) ?? loadPage(site + path);
  loaded.set(path, loading);
  // A test that is tried again loads it again.
  loading.catch(() => loaded.delete(path));
  return loading;
}

/** Width and height of a PNG (PNG specification § 11.2.2) or a baseline JPEG (ITU-T T.81 § B.2.2). */
function pictureSize({ bytes }: { bytes: Uint8Array }): { width: number; height: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0) === 0x89504e47) return { width: view.getUint32(16), height: view.getUint32(20) };
  for (let offset = 2; offset < bytes.length; offset += 2 + view.getUint16(offset + 2)) {
    const isFrame = [0xc0, 0xc1, 0xc2].includes(view.getUint8(offset + 1));
    if (isFrame) return { height: view.getUint16(offset + 5), width: view.getUint16(offset + 7) };
  }
  throw new Error("no picture");
}

describe("a page in the browser", () => {
  test("is read as scripts made it, with what the server said about it", async () => {
    const page = await plainPage("/app/shell");
    expect(page.body).toMatch(/^<!DOCTYPE html>/i);
    expect(page.body).toContain("Saint Bride");
    expect(page).toMatchObject({ engine: "browser", url: `${site}/app/shell`, statusCode: 200, warnings: [] });
    expect(page.contentType).toMatch(/^text\/html/);
    expect(page.headers["content-type"]).toBe(page.contentType);
    expect(page.timezone).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone);
    expect(page.browserMs).toBeGreaterThan(0);
    expect(page.queuedMs).toBeGreaterThanOrEqual(0);
  });

  for (const { tags, entries } of shortAndLong<{ what: string; path: string; text: string }>(
    [
      { what: "content that comes after two seconds of a spinner", path: "/app/slow", text: "Saint Bride" },
      { what: "a frame of its own origin", path: "/app/iframe", text: "Frame filled by script." },
      { what: "open shadow roots", path: "/app/shadow", text: "17:14, 4.71 m at Harrow Bay" },
      { what: "nested shadow roots", path: "/app/shadow", text: "Two shadows deep" },
      { what: "what is slotted into a shadow root", path: "/app/shadow", text: "Slotted note from the page itself." },
      { what: "shadow roots declared in markup", path: "/app/shadow", text: "the mole is closed on Mondays" },
      { what: "a page that never goes idle", path: "/app/polling", text: "The restless gauge" },
      { what: "a page behind dialogs", path: "/app/dialogs", text: "page is ready" },
      { what: "where a meta refresh leads", path: "/meta-refresh", text: "The end of the road" },
      { what: "a page that wants a browser", path: "/browser-only", text: "<article" },
      { what: "XHTML", path: "/type/xhtml", text: "<html" },
      { what: "HTML without a content type", path: "/type/html-without", text: "<article" },
      { what: "an error page", path: "/status/404", text: "This address always answers with status 404" },
    ],
    // A page whose script leads to XHTML is read below, and every page is told what a browser is.
    ({ path }) => path !== "/type/xhtml" && path !== "/browser-only",
  ))
    test.each(entries)("shows $what", { tags }, async ({ path, text }) => {
      expect((await plainPage(path)).body).toContain(text);
    });

  test("has the status and address of where its redirects end", async () => {
    expect(await loadPage(`${site}/redirect/3`)).toMatchObject({ url: `${site}/final`, statusCode: 200 });
    expect(await plainPage("/status/404")).toMatchObject({ statusCode: 404 });
    if (!isShort()) expect(await plainPage("/status/503")).toMatchObject({ statusCode: 503 });
  });

  test("keeps frames under the name that selectors know", async () => {
    const { body } = await plainPage("/app/iframe");
    expect(body).toMatch(/<div data-original-tag="iframe"[^>]*src="\/app\/framed"/);
    expect(body).not.toContain("<iframe");
  });

  test("has one tab: windows do not open", async () => {
    const actions = [
      { type: "click" as const, selector: "#pop", all: false },
      { type: "click" as const, selector: "#blank", all: false },
    ];
    const { body } = await loadPage(`${site}/app/popups`, { actions });
    expect(textOf(body, "state")).toBe("load: blocked; click: blocked");
  });

  test("may speak to its own host by WebSocket, as the pages do that are made that way", async () => {
    const { body } = await loadPage(`${inject("attackUrl")}/socket`);
    expect(textOf(body, "state")).toMatch(/^reached ws:/);
  });
});

describe("each option changes the page", () => {
  const info = async (more: Partial<BrowserRequest>): Promise<string> =>
    (await loadPage(`${site}/client-info`, more)).body;

  test("as a desktop by default, naming nothing strange", async () => {
    const body = await info({});
    expect(textOf(body, "viewport")).toBe("1920x1080");
    expect(textOf(body, "user-agent")).toMatch(
      /^Mozilla\/5\.0 \(X11; Linux x86_64\) .* Chrome\/\d+\.0\.0\.0 Safari\/537\.36$/,
    );
    expect(body).not.toMatch(/headless/i);
    expect(textOf(body, "touch")).toBe("0");
    expect(textOf(body, "languages")).toBe("en-US,en");
  });

  test("mobile: a small screen, touch and the name of a phone's browser", async () => {
    const body = await info({ mobile: true });
    expect(textOf(body, "screen")).toBe("390x844");
    expect(textOf(body, "user-agent")).toMatch(/Android.* Mobile Safari/);
    expect(textOf(body, "touch")).toBe("5");
    expect(textOf(body, "mobile-layout")).toBe("true");
    if (!isShort()) expect((await loadPage(`${site}/mobile`, { mobile: true })).body).toContain("a phone");
  });

  const HEADERS = {
    "X-Berth": "E4",
    Cookie: "harbour=yes; pier=2",
    Referer: `${site}/from`,
    "User-Agent": "Crab/1.0",
    Host: "elsewhere",
    "Accept-Encoding": "gzip",
  };
  let addressed: ReturnType<typeof loadPage> | undefined;
  /** The page of one load with languages and headers. */
  const addressedPage = (): ReturnType<typeof loadPage> => {
    addressed ??= loadPage(`${site}/client-info`, { languages: ["de-DE", "fr"], headers: HEADERS });
    addressed.catch(() => (addressed = undefined));
    return addressed;
  };

  test("languages: for the server and for scripts", async () => {
    const { body } = await addressedPage();
    expect(textOf(body, "languages")).toBe("de-DE,fr");
    expect(body).toMatch(/"accept-language": "de-DE,fr;q=0\.9"/);
  });

  test("headers: written, as cookies, as referrer and as the user agent of scripts", async () => {
    const { body } = await addressedPage();
    for (const line of [`"x-berth": "E4"`, `"cookie": "harbour=yes; pier=2"`, `"referer": "${site}/from"`]) {
      expect(body).toContain(line);
    }
    expect(body).toContain(`"user-agent": "Crab/1.0"`);
    expect(textOf(body, "user-agent")).toBe("Crab/1.0");
    expect(textOf(body, "cookies")).toBe("harbour=yes; pier=2");
  });

  test("headers: a warning names those that a browser cannot send", async () => {
    const { warnings } = await addressedPage();
    expect(warnings.join(" ")).toContain("cannot send these request headers: Host, Accept-Encoding");
  });

  test("headers: requests to its own origin have them, those to another one do not, behind a redirect neither", async () => {
    const script = (url: string) =>
      `fetch(${JSON.stringify(url)}, { mode: "cors" }).then((r) => r.text(), (e) => "failed " + e)`;
    const urls = [`${site}/echo.json?own`, `${otherSite}/echo.json?other`, `${site}/redirect-other`];
    await loadPage(`${site}/client-info`, {
      headers: { "X-Secret": "berth-key-4" },
      actions: urls.map((url) => ({ type: "executeJavascript", script: script(url) })),
    });
    // Both origins have one list of requests.
    const requests: { target: string }[] = await (await fetch(`${site}/__requests`)).json();
    const gotSecret = (target: string): boolean =>
      JSON.stringify(given(requests.findLast((request) => request.target === target))).includes("berth-key-4");
    expect(gotSecret("/echo.json?own")).toBe(true);
    expect(gotSecret("/redirect-other")).toBe(true);
    expect(gotSecret("/echo.json?other")).toBe(false);
    expect(gotSecret("/echo.json")).toBe(false);
  });

  test("skipTlsVerification: a certificate that nobody trusts is accepted, and otherwise is an error", async () => {
    const url = inject("tlsUrl");
    expect((await loadPage(url, { skipTlsVerification: true })).body).toContain("Behind a seal.");
    expect(await testBrowser().load(browserRequest(url))).toMatchObject({ kind: "failed", code: "SCRAPE_SSL_ERROR" });
  });

  test("blockAds: advertisements are not loaded, the page's own scripts are", async () => {
    const [blocked, open] = [
      await loadPage(`${site}/app/ads`, { blockAds: true }),
      await loadPage(`${site}/app/ads`, { blockAds: false }),
    ];
    expect(textOf(blocked.body, "state")).toBe("no advertising script ran");
    expect(textOf(open.body, "state")).not.toBe("no advertising script ran");
    expect(blocked.body).toContain("honest script ran");
  });

  test("waitForMs: what comes later is there", async () => {
    const later = `${site}/app/navigates?ms=900`;
    expect((await loadPage(later)).body).toContain("This page leaves by itself");
    expect(await loadPage(later, { waitForMs: 1500 })).toMatchObject({ url: `${site}/final` });
  });

  for (const { tags, entries } of shortAndLong(
    [
      { ms: "now", type: "json-as-text", url: "/type/json-as-text", shown: "berths" },
      { ms: "0", type: "json-as-text", url: "/type/json-as-text", shown: "berths" },
      { ms: "now", type: "binary", url: "/app/navigates?ms=now&to=/type/binary", shown: "The moving stair" },
      { ms: "0", type: "png", url: "/app/navigates?ms=0&to=/type/png", shown: "The moving stair" },
      { ms: "now", type: "xhtml", url: "/type/xhtml", shown: "</html>" },
    ],
    ({ ms, type }) => ["now binary", "0 json-as-text", "now xhtml"].includes(`${ms} ${type}`),
  ))
    test.each(entries)(
      "a page whose script leads to $type ($ms) is read at its end: a text, or itself",
      { tags },
      async ({ ms, type, url, shown }) => {
        const page = await loadPage(`${site}/app/navigates?ms=${ms}&to=/type/${type}`);
        expect(page).toMatchObject({ url: `${site}${url}`, statusCode: 200 });
        expect(page.contentType).not.toContain("text/plain");
        expect(page.body).toContain(shown);
      },
    );

  for (const { tags, entries } of shortAndLong(
    [
      { by: "script", warning: [`The page was loaded without files that did not arrive: ${site}/hang?file=script.`] },
      { by: "style", warning: [`The page was loaded without files that did not arrive: ${site}/hang?file=style.`] },
      { by: "image", warning: [] },
    ],
    ({ by }) => by === "script",
  ))
    test.each(entries)(
      "a page that is held up by a file ($by) is read without it",
      { tags },
      async ({ by, warning }) => {
        const screenshot = { fullPage: false };
        const actions = [{ type: "executeJavascript" as const, script: "document.body.append('An action ran.')" }];
        const page = await loadPage(`${site}/held-up?by=${by}`, {
          deadlineMs: Date.now() + 20_000,
          screenshot,
          actions,
        });
        expect(page.body).toContain("Its text.");
        expect(page.body.split("An action ran.")).toHaveLength(2);
        expect(page.body).toContain("whose scripts ran</title>");
        expect(page.warnings).toEqual(warning);
        expect(given(page.screenshot).bytes.length).toBeGreaterThan(5_000);
      },
    );

  for (const { tags, entries } of shortAndLong<{
    what: string;
    screenshot: BrowserRequest["screenshot"];
    mobile?: boolean;
    type: string;
    size: object;
  }>(
    [
      { what: "the viewport", screenshot: { fullPage: false }, type: "image/png", size: { width: 1920, height: 1080 } },
      {
        what: "a phone's viewport",
        screenshot: { fullPage: false },
        mobile: true,
        type: "image/png",
        size: { width: 390, height: 844 },
      },
      {
        what: "a viewport of the caller's",
        screenshot: { fullPage: false, viewport: { width: 800, height: 600 } },
        type: "image/png",
        size: { width: 800, height: 600 },
      },
      {
        what: "JPEG by quality",
        screenshot: { fullPage: false, quality: 40 },
        type: "image/jpeg",
        size: { width: 1920, height: 1080 },
      },
    ],
    ({ what }) => what === "a viewport of the caller's",
  ))
    test.each(entries)("screenshot: $what", { tags }, async ({ screenshot, mobile = false, type, size }) => {
      const page: LoadedPage = await loadPage(`${site}/final`, { screenshot: given(screenshot), mobile });
      expect(page.screenshot?.contentType).toBe(type);
      expect(pictureSize(given(page.screenshot))).toEqual(size);
    });

  test("screenshot: quality changes its size in bytes", { tags: ["long"] }, async () => {
    const [low, high] = [
      await loadPage(`${site}/app/shell`, { screenshot: { fullPage: false, quality: 5 } }),
      await loadPage(`${site}/app/shell`, { screenshot: { fullPage: false, quality: 100 } }),
    ];
    expect(given(low.screenshot).bytes.length).toBeLessThan(given(high.screenshot).bytes.length);
  });

  test(
    "screenshot: the whole page, with what scrolling brings, up to a height that a warning names",
    { tags: ["long"] },
    async () => {
      const page = await loadPage(`${site}/app/scroll?max=300`, { screenshot: { fullPage: true } });
      const { width, height } = pictureSize(given(page.screenshot));
      expect(width).toBe(1920);
      // Ten entries, 1,339 px, are there without scrolling; a busy machine loads ten or twenty more in the time that it has.
      expect(height).toBeGreaterThan(2000);
      expect(height).toBeLessThanOrEqual(16_000);
      const tall = await loadPage(`${site}/many-links?n=3000`, { screenshot: { fullPage: true } });
      expect(pictureSize(given(tall.screenshot))).toEqual({ width: 1920, height: 16_000 });
      expect(given(tall.screenshot).contentType).toBe("image/jpeg");
      expect(tall.warnings.join(" ")).toMatch(/shows the first 16000 px.*is a JPEG/);
    },
  );
});

describe("what cannot be loaded says why", () => {
  for (const { tags, entries } of shortAndLong<{ url: string; outcome: object; more?: Partial<BrowserRequest> }>(
    [
      { url: "http://nowhere.invalid/", outcome: { kind: "failed", code: "SCRAPE_DNS_RESOLUTION_ERROR" } },
      { url: "http://127.0.0.1:9/", outcome: { kind: "failed", code: "SCRAPE_SITE_ERROR", message: /ERR_/ } },
      { url: `${site}/reset`, outcome: { kind: "failed", code: "SCRAPE_SITE_ERROR", message: /ERR_CONNECTION_RESET/ } },
      { url: `${site}/redirect-loop`, outcome: { kind: "failed", code: "SCRAPE_REDIRECT_ERROR" } },
      { url: site.replace("http:", "https:"), outcome: { kind: "failed", code: "SCRAPE_SSL_ERROR" } },
      { url: "http://10.1.2.3/", outcome: { kind: "failed", code: "SAFE_MODE_BLOCKED" } },
      { url: "file:///etc/hostname", outcome: { kind: "failed", code: "SAFE_MODE_BLOCKED" } },
      { url: `${site}/redirect-private`, outcome: { kind: "failed", code: "SAFE_MODE_BLOCKED", message: /169\.254/ } },
      { url: `${site}/redirect-file`, outcome: { kind: "failed", code: "SCRAPE_SITE_ERROR" } },
      { url: `${site}/type/png`, outcome: { kind: "insufficient", reason: "not_html:image/png" } },
      { url: `${site}/echo.json`, outcome: { kind: "insufficient", reason: "not_html:application/json" } },
      { url: `${site}/type/pdf-as-html`, outcome: { kind: "insufficient", reason: "not_html:unknown" } },
      { url: `${site}/type/binary`, outcome: { kind: "insufficient", reason: "not_html:application/octet-stream" } },
      { url: `${site}/no-content`, outcome: { kind: "insufficient", reason: "empty_response" } },
      { url: `${site}/huge?mb=30`, outcome: { kind: "failed", code: "SCRAPE_BODY_TOO_LARGE" } },
      { url: `${site}/endless`, outcome: { kind: "failed", code: "SCRAPE_BODY_TOO_LARGE" } },
    ],
    ({ url }) => !/echo|binary|huge|endless/.test(url),
  ))
    test.each(entries)("$url", { tags }, async ({ url, outcome, more = {} }) => {
      const seen = await testBrowser().load(browserRequest(url, more));
      const wanted = Object.entries(outcome).map(([key, value]) => [
        key,
        value instanceof RegExp ? expect.stringMatching(value) : value,
      ]);
      expect(seen).toMatchObject(Object.fromEntries(wanted));
    });

  for (const { tags, entries } of shortAndLong(["/hang", "/app/hang?hang=now", "/app/hang?hang=1", "/stall"], (path) =>
    /hang=now|stall/.test(path),
  ))
    test.each(entries)("in time: %s", { tags }, async (path) => {
      const startMs = Date.now();
      const seen = await testBrowser().load(browserRequest(site + path, { deadlineMs: startMs + 2_000 }));
      expect(seen).toMatchObject({ kind: "failed", code: "SCRAPE_TIMEOUT" });
      expect(Date.now() - startMs).toBeLessThan(15_000);
    });
});
