import { describe, expect, test, vi } from "vitest";
import { Meter } from "../../../../src/core/account/meter.ts";
import { createGuardedFetch } from "../../../../src/platform/outbound/guarded-fetch.ts";
import { createOutboundGuard } from "../../../../src/platform/outbound/outbound-guard.ts";
import type { Resolution } from "../../../../src/ports/system.ts";

interface Call {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: unknown;
}

/** Answers by URL; a function answers by the call. Notes every call. */
function web(
  pages: Record<string, Response | (() => Response | Promise<Response>)>,
  names: Record<string, Resolution> = {},
) {
  const calls: Call[] = [];
  const fetcher = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const url = String(input);
    calls.push({
      url,
      method: init?.method ?? "GET",
      headers: init?.headers as Record<string, string>,
      body: init?.body,
    });
    const page = pages[url];
    if (page === undefined) throw new Error("Network connection lost.");
    return typeof page === "function" ? page() : page.clone();
  };
  const resolver = {
    resolve: async (name: string) => names[name] ?? { kind: "addresses" as const, addresses: ["93.184.216.34"] },
  };
  const guard = createOutboundGuard({ allowPrivateHosts: [], resolver });
  const clock = { now: () => Date.now() };
  const http = createGuardedFetch({ guard, clock, meter: new Meter(), fetcher: fetcher as typeof fetch });
  const get = (
    url: string,
    more: { headers?: Record<string, string>; maxBodyBytes?: number; method?: "POST"; body?: string; ms?: number } = {},
  ) => http.request({ url, deadlineMs: Date.now() + (more.ms ?? 2000), ownHosts: [], ...more });
  return { get, calls };
}

const redirect = (location: string, status = 302) => new Response(null, { status, headers: { location } });

describe("a connection that is lost before the answer", () => {
  /** Loses the first so many connections. */
  const losing = (count: number) => {
    let left = count;
    return web({
      "https://a.example/": () => {
        if (left-- > 0) throw new Error("Network connection lost.");
        return new Response("there");
      },
    });
  };

  test.each([
    { lost: 1, more: {}, kind: "response", asked: 2 },
    { lost: 2, more: {}, kind: "failed", asked: 2 },
    { lost: 1, more: { method: "POST" as const, body: "{}" }, kind: "failed", asked: 1 },
  ])("$lost times ends in $kind after $asked calls", async ({ lost, more, kind, asked }) => {
    const { get, calls } = losing(lost);
    expect(await get("https://a.example/", more)).toMatchObject({ kind });
    expect(calls).toHaveLength(asked);
  });

  test("or in the middle of it is asked for once more", async () => {
    let asked = 0;
    const { get } = web({
      "https://a.example/": () => {
        asked++;
        const cut = new ReadableStream({
          pull: (controller) => controller.error(new Error("Network connection lost.")),
        });
        return new Response(asked === 1 ? cut : "whole");
      },
    });
    expect(await get("https://a.example/")).toMatchObject({ kind: "response" });
    expect(asked).toBe(2);
  });
});

describe("redirects", () => {
  test("are followed to the end", async () => {
    const { get } = web({
      "https://a.example/": redirect("/next"),
      "https://a.example/next": redirect("https://b.example/end", 301),
      "https://b.example/end": new Response("there"),
    });
    const outcome = await get("https://a.example/");
    expect(outcome).toMatchObject({ kind: "response", response: { url: "https://b.example/end", redirects: 2 } });
  });

  test("to nowhere are answers of their own", async () => {
    const moved = () => new Response("Moved, somewhere", { status: 302, headers: { location: " " } });
    const { get, calls } = web({ "https://a.example/": moved });
    expect(await get("https://a.example/")).toMatchObject({
      kind: "response",
      response: { statusCode: 302, redirects: 0 },
    });
    expect(calls).toHaveLength(1);
  });

  test("end after ten", async () => {
    const { get, calls } = web({ "https://a.example/": redirect("https://a.example/") });
    expect(await get("https://a.example/")).toMatchObject({ kind: "failed", code: "SCRAPE_REDIRECT_ERROR" });
    expect(calls).toHaveLength(11);
  });

  test("to a private address are refused before anything connects", async () => {
    const { get, calls } = web({ "https://a.example/": redirect("http://169.254.169.254/") });
    expect(await get("https://a.example/")).toMatchObject({ kind: "failed", code: "SAFE_MODE_BLOCKED" });
    expect(calls.map(({ url }) => url)).toEqual(["https://a.example/"]);
  });

  test("to another origin leave cookies and custom headers behind", async () => {
    const { get, calls } = web({
      "https://a.example/": redirect("https://a.example/same"),
      "https://a.example/same": redirect("https://b.example/"),
      "https://b.example/": new Response("ok"),
    });
    await get("https://a.example/", { headers: { cookie: "s=1", "x-secret": "1", authorization: "x", accept: "*/*" } });
    expect(calls[1]?.headers).toMatchObject({ cookie: "s=1", "x-secret": "1" });
    expect(calls[2]?.headers).toEqual({ accept: "*/*" });
  });

  test("carry cookies that were set on the way back to their origin, and nowhere else", async () => {
    const { get, calls } = web({
      "https://a.example/": new Response(null, {
        status: 302,
        headers: { location: "/again", "set-cookie": "seen=1; Path=/; HttpOnly" },
      }),
      "https://a.example/again": redirect("https://b.example/"),
      "https://b.example/": new Response("ok"),
    });
    await get("https://a.example/", { headers: { cookie: "own=2" } });
    expect(calls.map(({ headers }) => headers["cookie"])).toEqual(["own=2", "own=2; seen=1", undefined]);
  });

  test("turn a POST into a GET, save for 307 on the same origin", async () => {
    const { get, calls } = web({
      "https://a.example/": redirect("https://a.example/b", 307),
      "https://a.example/b": redirect("https://a.example/c", 303),
      "https://a.example/c": new Response("ok"),
    });
    await get("https://a.example/", { method: "POST", body: "data" });
    expect(calls.map(({ method, body }) => [method, body])).toEqual([
      ["POST", "data"],
      ["POST", "data"],
      ["GET", undefined],
    ]);
  });
});

describe("names", () => {
  test("that resolve to private addresses are refused", async () => {
    const { get, calls } = web({}, { "evil.example": { kind: "addresses", addresses: ["93.184.216.34", "10.0.0.1"] } });
    expect(await get("https://evil.example/")).toMatchObject({ kind: "failed", code: "SAFE_MODE_BLOCKED" });
    expect(calls).toHaveLength(0);
  });

  test("that do not exist say so", async () => {
    const { get } = web({}, { "gone.example": { kind: "not_found" } });
    expect(await get("https://gone.example/")).toMatchObject({ kind: "failed", code: "SCRAPE_DNS_RESOLUTION_ERROR" });
  });

  test("that the platform cannot resolve say so too", async () => {
    const headers = { server: "cloudflare" };
    const { get } = web({ "https://x.example/": new Response("error code: 1016", { status: 530, headers }) });
    expect(await get("https://x.example/")).toMatchObject({ kind: "failed", code: "SCRAPE_DNS_RESOLUTION_ERROR" });
  });
});

describe("errors that the platform's edge reports in place of a site", () => {
  const edge = (status: number, text = `error code: ${status}`) =>
    new Response(text, { status, headers: { server: "cloudflare", "content-type": "text/plain; charset=UTF-8" } });

  test.each([
    { status: 520, code: "SCRAPE_SITE_ERROR", requests: 2 },
    { status: 521, code: "SCRAPE_SITE_ERROR", requests: 2 },
    { status: 522, code: "SCRAPE_TIMEOUT", requests: 1 },
    { status: 526, code: "SCRAPE_SSL_ERROR", requests: 1 },
  ])("$status is $code, after $requests requests", async ({ status, code, requests }) => {
    const { get, calls } = web({ "https://x.example/": () => edge(status) });
    expect(await get("https://x.example/")).toMatchObject({ kind: "failed", code, edgeNumber: status });
    expect(calls).toHaveLength(requests);
  });

  test("a refused address without a host name is reported at once", async () => {
    const { get, calls } = web({ "https://192.0.66.2/": () => edge(403, "error code: 1003") });
    expect(await get("https://192.0.66.2/")).toMatchObject({ kind: "failed", edgeNumber: 1003 });
    expect(calls).toHaveLength(1);
  });

  test("a site that recovers within the second request is loaded", async () => {
    let tries = 0;
    const { get } = web({ "https://x.example/": () => (tries++ === 0 ? edge(521) : new Response("here")) });
    expect(await get("https://x.example/")).toMatchObject({ kind: "response", response: { statusCode: 200 } });
  });

  test("a response of the site with such a status stays a response", async () => {
    const { get } = web({ "https://x.example/": edge(503, "<h1>Down for maintenance</h1>") });
    expect(await get("https://x.example/")).toMatchObject({ kind: "response", response: { statusCode: 503 } });
  });
});

describe("requests of one invocation", () => {
  /** Sites that answer when they are told to, in order of arrival. */
  const waiting = () => {
    const open: (() => void)[] = [];
    const started: string[] = [];
    const fetcher = ((url: string) => {
      started.push(url);
      return new Promise<Response>((resolve) => open.push(() => resolve(new Response("here"))));
    }) as unknown as typeof fetch;
    return { fetcher, open, started };
  };
  const guard = createOutboundGuard({
    allowPrivateHosts: [],
    resolver: { resolve: async () => ({ kind: "addresses", addresses: ["93.184.216.34"] }) },
  });
  const http = (fetcher: typeof fetch, more: { movesDeadlines?: boolean; callerLeft?: AbortSignal } = {}) => {
    const client = createGuardedFetch({
      guard,
      clock: { now: () => Date.now() },
      meter: new Meter(),
      fetcher,
      ...more,
    });
    return (name: string, ms = 20_000) =>
      client.request({ url: `https://${name}.example/`, deadlineMs: Date.now() + ms, ownHosts: [] });
  };

  test("wait for headers five at a time, and keep the sixth connection free", async () => {
    const { fetcher, open, started } = waiting();
    const get = http(fetcher);
    const loads = ["a", "b", "c", "d", "e", "f", "g"].map((name) => get(name));
    await vi.waitFor(() => expect(started).toHaveLength(5));
    open.shift()?.();
    await vi.waitFor(() => expect(started.at(-1)).toBe("https://f.example/"));
    for (let at = 0; at < 6; at++) {
      await vi.waitFor(() => expect(open).not.toHaveLength(0));
      open.shift()?.();
    }
    expect((await Promise.all(loads)).map(({ kind }) => kind)).toEqual(Array(7).fill("response"));
  });

  test.each([
    { movesDeadlines: true, outcome: "response" },
    { movesDeadlines: false, outcome: "failed" },
  ])("a wait for a connection moves the deadline: $movesDeadlines, so a late one is a $outcome", async (given) => {
    const { fetcher, open } = waiting();
    const get = http(fetcher, { movesDeadlines: given.movesDeadlines });
    const slow = ["a", "b", "c", "d", "e"].map((name) => get(name));
    await vi.waitFor(() => expect(open).toHaveLength(5));
    const late = get("f", 300);
    await new Promise((resolve) => setTimeout(resolve, 400));
    for (const reply of open.splice(0)) reply();
    await vi.waitFor(() => expect(given.movesDeadlines ? open.length : 1).toBe(1));
    open[0]?.();
    expect(await late).toMatchObject({ kind: given.outcome });
    await Promise.all(slow);
  });

  test.each([
    { movesDeadlines: true, outcome: { kind: "response" } },
    { movesDeadlines: false, outcome: { kind: "failed", code: "SCRAPE_TIMEOUT" } },
  ])("the wait of a name's lookup moves the deadline: $movesDeadlines", async ({ movesDeadlines, outcome }) => {
    const { promise: resolved, resolve } = Promise.withResolvers<Resolution>();
    const client = createGuardedFetch({
      guard: createOutboundGuard({ allowPrivateHosts: [], resolver: { resolve: () => resolved } }),
      clock: { now: () => Date.now() },
      meter: new Meter(),
      fetcher: async () => new Response("here"),
      movesDeadlines,
    });
    const load = client.request({ url: "https://a.example/", deadlineMs: Date.now() + 100, ownHosts: [] });
    if (!movesDeadlines) expect(await load).toMatchObject(outcome);
    else await new Promise((done) => setTimeout(done, 200));
    resolve({ kind: "addresses", addresses: ["93.184.216.34"] });
    const found = await load;
    expect(found).toMatchObject(outcome);
    expect(found.waitedMs ?? 0).toBeGreaterThanOrEqual(movesDeadlines ? 150 : 0);
  });

  test("end when their caller has left, also those that wait for a connection", async () => {
    const left = new AbortController();
    const hanging = ((_: string, init: RequestInit) =>
      new Promise((_resolve, reject) => {
        init.signal?.addEventListener("abort", () => reject(init.signal?.reason as Error));
      })) as unknown as typeof fetch;
    const get = http(hanging, { callerLeft: left.signal });
    const loads = ["a", "b", "c", "d", "e", "f"].map((name) => get(name));
    left.abort(new DOMException("The client has left", "AbortError"));
    for (const outcome of await Promise.all(loads)) expect(outcome).toMatchObject({ kind: "failed" });
  });

  test("do not read through a cache", async () => {
    let asked: RequestInit | undefined;
    const get = http((async (_: string, init: RequestInit) => {
      asked = init;
      return new Response("here");
    }) as unknown as typeof fetch);
    await get("a");
    expect(asked?.cache).toBe("no-store");
  });
});

describe("bodies", () => {
  const endless = () =>
    new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) }), {
      headers: { "content-encoding": "gzip", "content-length": "1000" },
    });

  test("over the limit end with an error before they are read to the end", async () => {
    const { get } = web({ "https://a.example/": endless });
    expect(await get("https://a.example/", { maxBodyBytes: 1_000_000 })).toMatchObject({
      code: "SCRAPE_BODY_TOO_LARGE",
    });
  });

  test("that unfold far beyond their size count as bombs long before the limit", async () => {
    let pieces = 0;
    const bomb = () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            pieces++;
            controller.enqueue(new Uint8Array(65_536));
          },
        }),
        { headers: { "content-encoding": "gzip", "content-length": "1000" } },
      );
    const { get } = web({ "https://a.example/": bomb });
    expect(await get("https://a.example/", { maxBodyBytes: 1e9 })).toMatchObject({ code: "SCRAPE_BODY_TOO_LARGE" });
    expect(pieces * 65_536).toBeLessThan(10_000_000);
  });

  test("that say they are too large are not read at all", async () => {
    const { get } = web({
      "https://a.example/": () => new Response("x", { headers: { "content-length": "2000000" } }),
    });
    expect(await get("https://a.example/", { maxBodyBytes: 1_000_000 })).toMatchObject({
      code: "SCRAPE_BODY_TOO_LARGE",
    });
  });

  test("that are large wait for each other, so that a Worker's memory is enough, and all arrive", async () => {
    const [pieceBytes, pieces, bodies] = [500_000, 20, 12];
    let held = 0;
    let peak = 0;
    const large = () => {
      let sent = 0;
      const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
        if (sent++ < pieces) {
          peak = Math.max(peak, (held += pieceBytes));
          controller.enqueue(new Uint8Array(pieceBytes));
        } else {
          held -= pieceBytes * pieces;
          controller.close();
        }
      };
      return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
    };
    const { get } = web(
      Object.fromEntries(Array.from({ length: bodies }, (_, page) => [`https://a.example/${page}`, large])),
    );
    const outcomes = await Promise.all(
      Array.from({ length: bodies }, (_, page) =>
        get(`https://a.example/${page}`, { maxBodyBytes: 50_000_000, ms: 60_000 }),
      ),
    );
    expect(outcomes.map((outcome) => (outcome.kind === "response" ? outcome.response.body.byteLength : 0))).toEqual(
      Array.from({ length: bodies }, () => pieceBytes * pieces),
    );
    expect(peak).toBeGreaterThan(30_000_000);
    expect(peak).toBeLessThan(60_000_000);
  });

  test("that never end are given up at the deadline", async () => {
    const stalled = () =>
      new Response(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) }));
    const { get } = web({ "https://a.example/": stalled });
    expect(await get("https://a.example/")).toMatchObject({ kind: "failed", code: "SCRAPE_TIMEOUT" });
  });
});

test.each([
  ["internal error; reference = 0qg3dns1jtssl2tls7", "SCRAPE_SITE_ERROR"],
  ["TLS peer's certificate is not trusted; reason = self-signed certificate", "SCRAPE_SSL_ERROR"],
  ["DNS lookup failed.", "SCRAPE_DNS_RESOLUTION_ERROR"],
])("%s is %s", async (message, code) => {
  const { get } = web({
    "https://a.example/": () => {
      throw new Error(message);
    },
  });
  expect(await get("https://a.example/")).toMatchObject({ kind: "failed", code });
});

test("a lost connection is a site error", async () => {
  const { get } = web({});
  expect(await get("https://a.example/")).toMatchObject({ kind: "failed", code: "SCRAPE_SITE_ERROR" });
});

describe.each([10, 100, 1_000, 10_000])("%i headers of a kind", (count) => {
  test("are read up to a limit, the type of the content always", async () => {
    const headers = new Headers({ "content-type": "text/html" });
    for (let number = 0; number < count; number++) headers.append(`a-${number}`, "x".repeat(20));
    const { get } = web({ "https://a.example/": new Response("page", { headers }) });
    const outcome = await get("https://a.example/");
    if (outcome.kind !== "response") throw new Error(outcome.message);
    expect(outcome.response.headers["content-type"]).toBe("text/html");
    expect(JSON.stringify(outcome.response.headers).length).toBeLessThan(100_000);
    if (count <= 1_000) expect(outcome.response.headers).toMatchObject({ [`a-${count - 1}`]: "x".repeat(20) });
  });

  test("that set cookies are sent back as browsers do", async () => {
    const headers = new Headers({ location: "https://a.example/next" });
    for (let number = 0; number < count; number++) headers.append("set-cookie", `c${number}=1`);
    headers.append("set-cookie", `long=${"x".repeat(5_000)}`);
    headers.append("set-cookie", "c0=last");
    const { get, calls } = web({
      "https://a.example/": new Response(null, { status: 302, headers }),
      "https://a.example/next": new Response("page"),
    });
    await get("https://a.example/");
    const sent = calls[1]?.headers["cookie"]?.split("; ") ?? [];
    expect(sent).toHaveLength(Math.min(count, 180));
    expect(sent[0]).toBe("c0=last");
  });
});
