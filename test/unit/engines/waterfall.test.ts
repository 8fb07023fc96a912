import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { HeldBytes } from "../../../src/core/waits/held-bytes.ts";
import { READ_AS_FILE, type EngineOutcome, type LoadedPage } from "../../../src/core/scrape/page.ts";
import type { Engine, PageRequest } from "../../../src/engines/engine.ts";
import { loadPage } from "../../../src/engines/waterfall.ts";

const ARTICLE = `<html><head><title>Article</title></head><body><article><h1>Article</h1>${"<p>Plain words that stand in the page itself, several of them in a row.</p>".repeat(10)}</article></body></html>`;
const SHELL = `<html><head><title>App</title></head><body><div id="root"></div><script src="/app.js"></script></body></html>`;
const CHALLENGE = `<html><head><title>Just a moment...</title></head><body>Checking your browser before accessing the site.<script src="/cdn-cgi/challenge-platform/x.js"></script></body></html>`;

const OPEN = { clean: { onlyMainContent: true, includeTags: [], excludeTags: [] }, pdf: {}, bytesOnly: false };

function pageOf(body: string, more: Partial<LoadedPage> = {}): EngineOutcome {
  const page: LoadedPage = {
    engine: "fetch",
    url: "https://a.example/",
    statusCode: 200,
    headers: {},
    contentType: "text/html",
    body,
    warnings: [],
    ...more,
  };
  return { kind: "loaded", page };
}

/** An engine that gives its outcomes one after the other, the last one again and again. */
function engine(name: "fetch" | "browser", ...outcomes: EngineOutcome[]): Engine & { loads: number; waits: number[] } {
  const provides = name === "browser" ? (["browser", "screenshot", "actions"] as const) : ([] as const);
  return {
    engine: name,
    provides: new Set(provides),
    loads: 0,
    waits: [],
    async load({ waitForMs }) {
      this.waits.push(waitForMs);
      const outcome = outcomes[Math.min(this.loads++, outcomes.length - 1)];
      if (outcome === undefined) throw new Error("no outcome");
      return outcome;
    },
  };
}

function request(more: Partial<PageRequest> = {}): PageRequest {
  return {
    url: "https://a.example/", deadlineMs: 60_000, waitForMs: 0, mobile: false, headers: {}, languages: [], blockAds: true,
    skipTlsVerification: false, fastMode: false, actions: [], screenshot: undefined, needs: new Set(), ownHosts: [], ...more,
  }; // prettier-ignore
}

function tools(...engines: Engine[]) {
  const slept: number[] = [];
  const sleep = async (ms: number) => void slept.push(ms);
  return { engines, clock: { now: () => 0 }, sleep, slept, memory: new HeldBytes() };
}

describe("loadPage", () => {
  test("stops at the first engine that brings the content", async () => {
    const browser = engine("browser", pageOf(ARTICLE));
    const loaded = await loadPage(tools(engine("fetch", pageOf(ARTICLE)), browser), request(), OPEN);
    expect(loaded.obstacle).toBeUndefined();
    expect(loaded.attempts).toEqual([{ engine: "fetch", outcome: "loaded", ms: 0 }]);
    expect(browser.loads).toBe(0);
  });

  test("goes on to the browser for an empty application shell and says why", async () => {
    const browser = engine("browser", pageOf(ARTICLE, { engine: "browser" }));
    const loaded = await loadPage(tools(engine("fetch", pageOf(SHELL)), browser), request(), OPEN);
    expect(loaded.view.loaded.engine).toBe("browser");
    expect(loaded.attempts).toMatchObject([
      { engine: "fetch", outcome: "insufficient", reason: "app_shell" },
      { engine: "browser", outcome: "loaded" },
    ]);
  });

  test("takes the shell when asked to be fast", async () => {
    const browser = engine("browser", pageOf(ARTICLE));
    const loaded = await loadPage(tools(engine("fetch", pageOf(SHELL)), browser), request({ fastMode: true }), OPEN);
    expect(browser.loads).toBe(0);
    expect(loaded.obstacle).toMatchObject({ reason: "app_shell" });
  });

  test("reports a wall that no engine gets past", async () => {
    const wall = { statusCode: 403 };
    const both = tools(
      engine("fetch", pageOf(CHALLENGE, wall)),
      engine("browser", pageOf(CHALLENGE, { ...wall, engine: "browser" })),
    );
    const loaded = await loadPage(both, request(), OPEN);
    expect(loaded.obstacle).toEqual({ kind: "blocked", reason: "bot_wall" });
    expect(loaded.attempts.map(({ outcome }) => outcome)).toEqual(["insufficient", "insufficient", "insufficient"]);
  });

  test("stays longer on a challenge that lets a patient browser through", async () => {
    const fetch = engine("fetch", pageOf(CHALLENGE, { statusCode: 403 }));
    const browser = engine(
      "browser",
      pageOf(CHALLENGE, { statusCode: 403, engine: "browser" }),
      pageOf(ARTICLE, { engine: "browser" }),
    );
    const loaded = await loadPage(tools(fetch, browser), request(), OPEN);
    expect(loaded.obstacle).toBeUndefined();
    expect(fetch.loads).toBe(1);
    expect(browser.waits).toEqual([0, 5000]);
  });

  test("falls back to the plain page, with a warning, when the browser fails", async () => {
    const failed: EngineOutcome = { kind: "failed", code: "SCRAPE_SITE_ERROR", message: "net::ERR_FAILED" };
    const loaded = await loadPage(tools(engine("fetch", pageOf(SHELL)), engine("browser", failed)), request(), OPEN);
    expect(loaded.view.loaded.engine).toBe("fetch");
    expect(loaded.view.loaded.warnings.join()).toContain("browser");
  });

  test("is an error when a direct load was lost and the browser shows nothing", async () => {
    const lost: EngineOutcome = { kind: "failed", code: "SCRAPE_SITE_ERROR", message: "The connection was lost" };
    const load = async (html: string) =>
      await loadPage(
        tools(engine("fetch", lost), engine("browser", pageOf(html, { engine: "browser" }))),
        request(),
        OPEN,
      );
    for (const html of ["", "<!DOCTYPE html><html><head></head><body></body></html>"])
      await expect(load(html)).rejects.toMatchObject({ code: "SCRAPE_SITE_ERROR" });
    const { view } = await load("<html><head></head><body><img src=/a.png></body></html>");
    expect(view.loaded.warnings.join()).toContain("may be incomplete");
  });

  test("skips engines that cannot do what is needed", async () => {
    const fetch = engine("fetch", pageOf(ARTICLE));
    await loadPage(tools(fetch, engine("browser", pageOf(ARTICLE))), request({ needs: new Set(["screenshot"]) }), OPEN);
    expect(fetch.loads).toBe(0);
  });

  test.each(["not_html:application/json", "download"])(
    "reads a file without the browser that was asked for, and says so: %s",
    async (reason) => {
      const fetch = engine("fetch", pageOf('{"tide": "high"}', { contentType: "application/json" }));
      const both = tools(fetch, engine("browser", { kind: "insufficient", reason }));
      const asked = request({ needs: new Set(["browser"]), waitForMs: 500, acceptsFile: true });
      const loaded = await loadPage(both, asked, OPEN);
      expect(loaded.view.loaded).toMatchObject({ engine: "fetch", warnings: [READ_AS_FILE] });
      expect(loaded.attempts).toMatchObject([
        { engine: "browser", outcome: "insufficient", reason },
        { engine: "fetch", outcome: "loaded" },
      ]);
    },
  );

  test("refuses a file, in words, where all that is asked for needs a page", async () => {
    const fetch = engine("fetch", pageOf("{}", { contentType: "application/json" }));
    const both = tools(fetch, engine("browser", { kind: "insufficient", reason: "not_html:application/json" }));
    const loading = loadPage(both, request({ needs: new Set(["screenshot"]), acceptsFile: false }), OPEN);
    await expect(loading).rejects.toMatchObject({
      code: "SCRAPE_ALL_ENGINES_FAILED",
      message: expect.stringContaining("application/json"),
    });
    expect(fetch.loads).toBe(0);
  });

  test.each([
    ["actions", "SCRAPE_ACTIONS_NOT_SUPPORTED"],
    ["screenshot", "SCRAPE_BROWSER_UNAVAILABLE"],
  ] as const)("without a browser, %s is refused with %s", async (need, code) => {
    const loading = loadPage(tools(engine("fetch", pageOf(ARTICLE))), request({ needs: new Set([need]) }), OPEN);
    await expect(loading).rejects.toMatchObject({ code });
  });

  test.each(["SAFE_MODE_BLOCKED", "SCRAPE_DNS_RESOLUTION_ERROR", "SCRAPE_TIMEOUT", "SCRAPE_BODY_TOO_LARGE"] as const)(
    "%s ends the waterfall",
    async (code) => {
      const browser = engine("browser", pageOf(ARTICLE));
      const loading = loadPage(
        tools(engine("fetch", { kind: "failed", code, message: "no" }), browser),
        request(),
        OPEN,
      );
      await expect(loading).rejects.toMatchObject({ code });
      expect(browser.loads).toBe(0);
    },
  );

  test("a certificate error goes on to the browser only when verification may be skipped", async () => {
    const failed: EngineOutcome = { kind: "failed", code: "SCRAPE_SSL_ERROR", message: "bad certificate" };
    const strict = loadPage(tools(engine("fetch", failed), engine("browser", pageOf(ARTICLE))), request(), OPEN);
    await expect(strict).rejects.toMatchObject({ code: "SCRAPE_SSL_ERROR" });
    const lax = await loadPage(
      tools(engine("fetch", failed), engine("browser", pageOf(ARTICLE))),
      request({ skipTlsVerification: true }),
      OPEN,
    );
    expect(lax.attempts).toHaveLength(2);
  });

  test("a browser that loads first checks the certificate, and again without that where it may", async () => {
    const failed: EngineOutcome = { kind: "failed", code: "SCRAPE_SSL_ERROR", message: "bad certificate" };
    const load = async (skipTlsVerification: boolean, ...outcomes: EngineOutcome[]) => {
      const skips: boolean[] = [];
      const browser = engine("browser", ...outcomes);
      const watched: Engine = {
        ...browser,
        load: (asked) => (skips.push(asked.skipTlsVerification), browser.load(asked)),
      };
      const needs = new Set(["browser"] as const);
      const loaded = await loadPage(tools(watched), request({ needs, skipTlsVerification }), OPEN).catch(String);
      return { skips, attempts: typeof loaded === "string" ? loaded : loaded.attempts.map(({ reason }) => reason) };
    };
    const page = pageOf(ARTICLE, { engine: "browser" });
    expect(await load(true, page)).toEqual({ skips: [false], attempts: [undefined] });
    expect(await load(true, failed, page)).toEqual({ skips: [false, true], attempts: ["SCRAPE_SSL_ERROR", undefined] });
    expect(await load(true, failed)).toMatchObject({ skips: [false, true] });
    expect(await load(false, failed)).toMatchObject({
      skips: [false],
      attempts: expect.stringContaining("certificate"),
    });
  });
});

describe("tries again", () => {
  test("a flaky server error, later each time", async () => {
    const fetch = engine(
      "fetch",
      pageOf("broken", { statusCode: 500 }),
      pageOf("broken", { statusCode: 503 }),
      pageOf(ARTICLE),
    );
    const house = tools(fetch);
    const loaded = await loadPage(house, request(), OPEN);
    expect(loaded.view.loaded.statusCode).toBe(200);
    expect(loaded.attempts.map(({ reason }) => reason)).toEqual(["http_500", "http_503", undefined]);
    expect(house.slept).toEqual([200, 400]);
  });

  test("no server error of a page that its caller loads again", async () => {
    const broken = engine("fetch", pageOf("broken", { statusCode: 500 }), pageOf(ARTICLE));
    const loaded = await loadPage(tools(broken), request({ isRetriedLater: true }), OPEN);
    expect(loaded.view.loaded.statusCode).toBe(500);
    expect(broken.loads).toBe(1);
  });

  test("as late as Retry-After asks", async () => {
    const busy = pageOf("slow down", { statusCode: 429, headers: { "retry-after": "2" } });
    const house = tools(engine("fetch", busy, pageOf(ARTICLE)));
    await loadPage(house, request(), OPEN);
    expect(house.slept).toEqual([2000]);
  });

  test("not before the date of Retry-After, nor when that is far away", async () => {
    const loads = async (seconds: number) => {
      const house = tools();
      const date = new Date(house.clock.now() + seconds * 1_000).toUTCString();
      const busy = engine(
        "fetch",
        pageOf("slow down", { statusCode: 503, headers: { "retry-after": date } }),
        pageOf(ARTICLE),
      );
      await loadPage({ ...house, engines: [busy] }, request(), OPEN);
      return [busy.loads, house.slept];
    };
    expect(await loads(5)).toEqual([2, [5_000]]);
    expect(await loads(3_600)).toEqual([1, []]);
  });

  test("three times at the most, and answers what it got", async () => {
    const fetch = engine("fetch", pageOf("<p>broken</p>", { statusCode: 500 }));
    const loaded = await loadPage(tools(fetch), request(), OPEN);
    expect(fetch.loads).toBe(3);
    expect(loaded.view.loaded.statusCode).toBe(500);
  });

  test("not past the deadline, nor when asked to wait long", async () => {
    const fetch = engine("fetch", pageOf("slow down", { statusCode: 429, headers: { "retry-after": "3600" } }));
    await loadPage(tools(fetch), request(), OPEN);
    expect(fetch.loads).toBe(1);
    const late = engine("fetch", pageOf("broken", { statusCode: 500 }));
    await loadPage(tools(late), request({ deadlineMs: 100 }), OPEN);
    expect(late.loads).toBe(1);
  });
});

describe("egress routes", () => {
  const ROUTED = { routes: [], ifBlocked: [], isEnhanced: false };

  function route(name: string, endpoints: number, ...outcomes: EngineOutcome[]) {
    return Object.assign(engine("fetch", ...outcomes), { route: { name, endpoints } });
  }
  const down = (proxy: string): EngineOutcome => ({
    kind: "failed",
    code: "SCRAPE_PROXY_UNREACHABLE",
    message: `The proxy ${proxy} could not be reached`,
    proxy,
  });

  test("are not used by a load that asks for none", async () => {
    const office = route("office", 1, pageOf(ARTICLE));
    await loadPage(
      tools(engine("fetch", pageOf(CHALLENGE)), engine("browser", pageOf(CHALLENGE)), office),
      request(),
      OPEN,
    );
    expect(office.loads).toBe(0);
  });

  test("take the place of the direct way, and each proxy that fails is named", async () => {
    const direct = engine("fetch", pageOf(ARTICLE));
    const first = route("first", 2, down("first#1"), down("first#2"));
    const second = route("second", 1, pageOf(ARTICLE, { proxy: "second" }));
    const egress = { ...ROUTED, routes: ["first", "second"] };
    const loaded = await loadPage(tools(direct, second, first), request({ egress }), OPEN);
    expect(direct.loads).toBe(0);
    expect(loaded.attempts).toEqual([
      { engine: "fetch", outcome: "failed", reason: "SCRAPE_PROXY_UNREACHABLE", proxy: "first#1", ms: 0 },
      { engine: "fetch", outcome: "failed", reason: "SCRAPE_PROXY_UNREACHABLE", proxy: "first#2", ms: 0 },
      { engine: "fetch", outcome: "loaded", proxy: "second", ms: 0 },
    ]);
  });

  test("that all fail are the error, and nothing is loaded directly", async () => {
    const direct = engine("fetch", pageOf(ARTICLE));
    const office = route("office", 1, down("office"));
    const load = loadPage(tools(direct, office), request({ egress: { ...ROUTED, routes: ["office"] } }), OPEN);
    await expect(load).rejects.toMatchObject({
      code: "SCRAPE_PROXY_UNREACHABLE",
      attempts: [{ engine: "fetch", outcome: "failed", reason: "SCRAPE_PROXY_UNREACHABLE", proxy: "office", ms: 0 }],
    });
    expect([direct.loads, office.loads]).toEqual([0, 1]);
  });

  test("do not serve requests that need a browser", async () => {
    const office = route("office", 1, pageOf(SHELL, { proxy: "office" }));
    const all = tools(engine("browser", pageOf(ARTICLE)), office);
    const egress = { ...ROUTED, routes: ["office"] };
    await expect(loadPage(all, request({ egress, needs: new Set(["screenshot"]) }), OPEN)).rejects.toMatchObject({
      code: "SCRAPE_PROXY_SELECTION_ERROR",
    });
    const shell = await loadPage(all, request({ egress }), OPEN);
    expect(shell.view.loaded.warnings.join()).toContain("browsers do not use the egress routes");
  });

  test("come last where the site has refused, and not for a page that came", async () => {
    const egress = { ...ROUTED, ifBlocked: ["office"] };
    const office = route("office", 1, pageOf(ARTICLE, { proxy: "office" }));
    const refused = tools(engine("fetch", pageOf(CHALLENGE)), engine("browser", pageOf(CHALLENGE)), office);
    const loaded = await loadPage(refused, request({ egress }), OPEN);
    expect(loaded.view.loaded.proxy).toBe("office");
    expect(loaded.attempts.at(-1)).toMatchObject({ outcome: "loaded", proxy: "office" });
    const idle = route("office", 1, pageOf(ARTICLE));
    await loadPage(tools(engine("fetch", pageOf(ARTICLE)), idle), request({ egress }), OPEN);
    expect(idle.loads).toBe(0);
    const gone = tools(engine("fetch", pageOf(CHALLENGE)), route("office", 1, down("office")));
    const blocked = await loadPage(gone, request({ egress }), OPEN);
    expect(blocked.obstacle?.kind).toBe("blocked");
    expect(blocked.view.loaded.warnings.join()).toContain("the egress route failed (The proxy office");
  });
});

/** A shell of a length, with the bytes of a site: the text of its own view is no part of it. */
function largeShell(): EngineOutcome {
  return pageOf("", { body: new TextEncoder().encode(SHELL.padEnd(100_000)) });
}

test("large pages that wait for a browser stay within the memory of a team, and those beyond it are loaded again", async () => {
  const memory = new HeldBytes({ ofTeam: 1_000_000, inAll: 2_000_000 });
  const { promise: failed, resolve: fail } = Promise.withResolvers<EngineOutcome>();
  let loads = 0;
  let waiting = 0;
  const fetch: Engine = { ...engine("fetch"), load: async () => (loads++, largeShell()) };
  const browser: Engine = { ...engine("browser"), load: async () => (waiting++, await failed) };
  const owner = { teamId: "team", keyId: "key" };
  const all = Array.from({ length: 12 }, () =>
    loadPage({ ...tools(fetch, browser), memory }, request({ owner }), OPEN),
  );
  await expect.poll(() => waiting).toBe(12);
  expect([loads, memory.bytesOf("team")]).toEqual([12, 1_000_000]);
  fail({ kind: "failed", code: "SCRAPE_BROWSER_UNAVAILABLE", message: "busy" });
  const pages = await Promise.all(all);
  expect(pages.map(({ view }) => view.loaded.body.length)).toEqual(pages.map(() => 100_000));
  expect(pages.every(({ view }) => view.loaded.warnings.some((words) => words.includes("needs a browser")))).toBe(true);
  expect([loads, memory.bytesOf("team")]).toEqual([12 + 7, 0]);
});

test("a page that was dropped and cannot be loaded again fails as the browser did; one that the browser brings does not matter", async () => {
  const memory = new HeldBytes({ ofTeam: 100, inAll: 200 });
  const owner = { teamId: "team", keyId: "key" };
  memory.hold(owner, 100);
  const gone: EngineOutcome = { kind: "failed", code: "SCRAPE_SITE_ERROR", message: "gone" };
  const busy: EngineOutcome = { kind: "failed", code: "SCRAPE_BROWSER_UNAVAILABLE", message: "busy" };
  const both = { ...tools(engine("fetch", largeShell(), gone), engine("browser", busy)), memory };
  await expect(loadPage(both, request({ owner }), OPEN)).rejects.toMatchObject({ code: "SCRAPE_BROWSER_UNAVAILABLE" });
  const better = { ...tools(engine("fetch", largeShell()), engine("browser", pageOf(ARTICLE))), memory };
  expect((await loadPage(better, request({ owner }), OPEN)).view.loaded.body).toBe(ARTICLE);
});

test("no page is kept in memory during a pause before another try", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const bodies: WeakRef<Uint8Array>[] = [];
  const load = async (): Promise<EngineOutcome> => {
    const body = new TextEncoder().encode(ARTICLE.padEnd(50_000));
    bodies.push(new WeakRef(body));
    return pageOf("", { body, statusCode: 503 });
  };
  const kept: number[] = [];
  const sleep = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 0));
    collect();
    kept.push(bodies.filter((body) => body.deref() !== undefined).length);
  };
  await loadPage({ ...tools({ ...engine("fetch"), load }), sleep }, request(), OPEN);
  expect(kept).toEqual([0, 0]);
});
