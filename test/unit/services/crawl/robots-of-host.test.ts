import { expect, test } from "vitest";
import type { Robots } from "../../../../src/content/crawling/robots.ts";
import { isAllowed } from "../../../../src/content/crawling/robots.ts";
import type { OutboundOutcome, OutboundRequest } from "../../../../src/ports/outbound/http.ts";
import type { Owner } from "../../../../src/core/fair-order.ts";
import { RobotsCache } from "../../../../src/services/crawl/robots-cache.ts";
import { robotsOfHost } from "../../../../src/services/crawl/robots-of-host.ts";
import { scriptedHttp, type ScriptedResponse } from "../../../fakes/upstream/scripted-http.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

/** A host that no other test knows, whose robots.txt answers so. */
function host(answer: ScriptedResponse | undefined) {
  const origin = `https://${crypto.randomUUID()}.example`;
  const http = scriptedHttp(answer === undefined ? {} : { [`${origin}/robots.txt`]: answer });
  const time = { nowMs: 1_700_000_000_000 };
  const deps = testDeps({ http, clock: { now: () => time.nowMs } });
  return {
    http,
    time,
    ask: (owner?: Owner) => robotsOfHost(deps, `${origin}/some/page`, { owner }),
    page: `${origin}/private/a`,
  };
}

test.each<[why: string, answer: ScriptedResponse | undefined, kind: string, allowed: boolean]>([
  ["a file with rules", "User-agent: *\nDisallow: /private", "found", false],
  ["no file", undefined, "missing", true],
  ["a file that may not be read", { status: 403 }, "missing", true],
  ["a broken server", { status: 503 }, "unreachable", false],
  ["a server with too much to do", { status: 429 }, "unreachable", false],
  ["a server that cannot be reached", { failed: "SCRAPE_SITE_ERROR" }, "unreachable", false],
  [
    "a name that does not exist, which the page's load tells",
    { failed: "SCRAPE_DNS_RESOLUTION_ERROR" },
    "missing",
    true,
  ],
  ["five redirects", { body: "User-agent: *\nDisallow: /", redirects: 5 }, "found", false],
  ["a file that is packed to a bomb", { failed: "SCRAPE_BODY_TOO_LARGE" }, "unreachable", false],
  ["six redirects", { body: "User-agent: *\nDisallow: /", redirects: 6 }, "missing", true],
])("%s", async (_why, answer, kind, allowed) => {
  const { ask, page } = host(answer);
  const found = await ask();
  expect(found.kind).toBe(kind);
  expect(isAllowed(found.robots, page, "Orbweaver")).toBe(allowed);
});

test("a host that gave no response is asked again after two seconds, and the failure is its own", async () => {
  const dead = host({ failed: "SCRAPE_SITE_ERROR" });
  expect((await dead.ask()).failure).toMatchObject({ code: "SCRAPE_SITE_ERROR" });
  dead.time.nowMs += 1_999;
  await dead.ask();
  expect(dead.http.seen).toHaveLength(1);
  dead.time.nowMs += 1;
  await dead.ask();
  expect(dead.http.seen).toHaveLength(2);
  expect((await host({ status: 503 }).ask()).failure).toBeUndefined();
});

test.each([
  ["UTF-16LE", [0xff, 0xfe], (code: number) => [code & 0xff, code >> 8]],
  ["UTF-16BE", [0xfe, 0xff], (code: number) => [code >> 8, code & 0xff]],
  ["UTF-8", [0xef, 0xbb, 0xbf], (code: number) => [code]],
])("a file in %s with a byte order mark is read", async (_name, mark, bytesOf) => {
  const codes = [..."User-agent: *\r\nDisallow: /private"].map((letter) => letter.charCodeAt(0));
  const { ask, page } = host(new Uint8Array([...mark, ...codes.flatMap(bytesOf)]));
  expect(isAllowed((await ask()).robots, page, "Orbweaver")).toBe(false);
});

/** A host whose robots.txt is answered by hand: each request resolves with what `answer` is given. */
function slowHost() {
  const origin = `https://${crypto.randomUUID()}.example`;
  const waiting: ((outcome: OutboundOutcome) => void)[] = [];
  const deadlines: number[] = [];
  const time = { nowMs: 1_700_000_000_000 };
  const http = {
    request: ({ deadlineMs }: OutboundRequest) => {
      deadlines.push(deadlineMs - time.nowMs);
      return new Promise<OutboundOutcome>((resolve) => void waiting.push(resolve));
    },
  };
  const deps = testDeps({ http, clock: { now: () => time.nowMs } });
  return {
    time,
    deadlines,
    ask: (options?: { deadlineMs: number }) => robotsOfHost(deps, `${origin}/some/page`, options),
    /** Asks for a client; the request of one that leaves ends when `fail` is called. */
    askFor: (clientLeft: AbortSignal) => robotsOfHost({ ...deps, clientLeft }, `${origin}/some/page`),
    fail: (afterMs: number) => {
      time.nowMs += afterMs;
      waiting.shift()?.({ kind: "failed", code: "SCRAPE_TIMEOUT", message: "Too slow" });
    },
    answer: (text: string) => {
      const body = new TextEncoder().encode(text);
      waiting.shift()?.({
        kind: "response",
        response: { url: origin, statusCode: 200, headers: {}, body, redirects: 0 },
      });
    },
  };
}

test("pages that ask for a file at the same time share one request", async () => {
  const slow = slowHost();
  const asking = [slow.ask(), slow.ask(), slow.ask()];
  slow.answer("User-agent: *\nDisallow: /private");
  const found = await Promise.all(asking);
  expect(found.map(({ kind }) => kind)).toEqual(["found", "found", "found"]);
  expect(slow.deadlines).toEqual([15_000]);
});

test("a file that exceeded its time is asked for again with less of it, for a minute", async () => {
  const slow = slowHost();
  for (const [waitMs, limitMs] of [
    [0, 15_000],
    [2_000, 3_000],
    [62_001, 15_000],
  ] as const) {
    slow.time.nowMs += waitMs;
    const asking = slow.ask();
    expect(slow.deadlines.at(-1)).toBe(limitMs);
    slow.fail(limitMs);
    const { kind, expiresAtMs } = await asking;
    expect([kind, expiresAtMs - slow.time.nowMs]).toEqual(["unreachable", 2_000]);
  }
});

test("the failure of a caller with less time is not the host's: another one asks again", async () => {
  const slow = slowHost();
  const short = slow.ask({ deadlineMs: slow.time.nowMs + 1_000 });
  const long = slow.ask();
  slow.fail(1_000);
  expect((await short).kind).toBe("unreachable");
  await expect.poll(() => slow.deadlines).toEqual([1_000, 15_000]);
  slow.answer("User-agent: *\nDisallow:");
  expect((await long).kind).toBe("found");
});

test("the failure of a caller that has left is not the host's: another one asks again, with all of its time", async () => {
  const slow = slowHost();
  const client = new AbortController();
  const left = slow.askFor(client.signal);
  const stays = slow.ask();
  client.abort();
  slow.fail(300);
  expect((await left).kind).toBe("unreachable");
  await expect.poll(() => slow.deadlines).toEqual([15_000, 15_000]);
  slow.answer("User-agent: *\nDisallow:");
  expect((await stays).kind).toBe("found");
});

test("a file that arrives after its caller has left is kept", async () => {
  const slow = slowHost();
  const client = new AbortController();
  const left = slow.askFor(client.signal);
  client.abort();
  slow.answer("User-agent: *\nDisallow:");
  expect([(await left).kind, (await slow.ask()).kind]).toEqual(["found", "found"]);
  expect(slow.deadlines).toHaveLength(1);
});

test("a file is asked for once a day, and one that could not be had after a minute", async () => {
  const { http, time, ask } = host("User-agent: *\nDisallow:");
  await ask();
  time.nowMs += 86_399_999;
  await ask();
  expect(http.seen).toHaveLength(1);
  time.nowMs += 1;
  await ask();
  expect(http.seen).toHaveLength(2);

  const broken = host({ status: 500 });
  await broken.ask();
  broken.time.nowMs += 60_000;
  await broken.ask();
  expect(broken.http.seen).toHaveLength(2);
});

test("of a file beyond 500 KiB the beginning is read", async () => {
  const { http, ask, page } = host(`User-agent: *\nDisallow: /private\n${"# a comment\n".repeat(60_000)}`);
  const { kind, robots } = await ask();
  expect([kind, isAllowed(robots, page, "Orbweaver")]).toEqual(["found", false]);
  expect(http.seen).toMatchObject([{ maxBodyBytes: 512_000, cutsBody: true }]);
});

const EMPTY: Robots = { groups: [], sitemaps: [] };

test.each([
  ["many groups", (): Robots => ({ ...EMPTY, groups: Array.from({ length: 2_000 }, (_, at) => ({ agents: [`a${at}`], rules: [] })) }), 0], // prettier-ignore
  ["many rules", (): Robots => ({ ...EMPTY, groups: [{ agents: ["*"], rules: Array.from({ length: 5_000 }, () => ({ allow: true, pattern: "/" })) }] }), 0], // prettier-ignore
  ["long rules", (): Robots => ({ ...EMPTY, groups: [{ agents: ["*"], rules: [{ allow: true, pattern: "/".repeat(400_000) }] }] }), 0], // prettier-ignore
  ["many sitemaps", (): Robots => ({ ...EMPTY, sitemaps: Array.from({ length: 20_000 }, () => "/") }), 0],
  ["long comments", () => EMPTY, 400_000],
])("files with %s take 16 MB together at most: those that were used last are kept", (_what, robotsOf, chars) => {
  const cache = new RobotsCache();
  const robots = robotsOf();
  for (let at = 0; at < 150; at++) {
    cache.set(`https://${at}.example`, { kind: "found", robots, chars, expiresAtMs: 1 });
    expect(cache.get("https://0.example")).toBeDefined();
    expect(cache.bytes).toBeLessThanOrEqual(16_000_000);
  }
  expect(cache.get("https://149.example")).toBeDefined();
  expect(cache.get("https://1.example")).toBeUndefined();
});

test("200 ordinary files are kept, and one alone whatever its size", () => {
  const cache = new RobotsCache();
  for (let at = 0; at < 250; at++)
    cache.set(`https://${at}.example`, { kind: "found", robots: EMPTY, chars: 20_000, expiresAtMs: 1 });
  expect(cache.get("https://50.example")).toBeDefined();
  expect(cache.get("https://49.example")).toBeUndefined();
  cache.set("https://large.example", { kind: "found", robots: EMPTY, chars: 20_000_000, expiresAtMs: 1 });
  expect(cache.get("https://large.example")).toBeDefined();
  expect(cache.get("https://50.example")).toBeUndefined();
});

test("a request that was never sent says nothing about the host, and no team waits for that of another", async () => {
  const sent: (string | undefined)[] = [];
  const waiting = Promise.withResolvers<OutboundOutcome>();
  const timeout = { kind: "failed", code: "SCRAPE_TIMEOUT", message: "late", isUnsent: true } as const;
  const request = async ({ owner }: OutboundRequest): Promise<OutboundOutcome> => {
    sent.push(owner?.teamId);
    if (owner?.teamId === "busy") return await waiting.promise;
    const body = new TextEncoder().encode("User-agent: *\nDisallow: /private");
    return { kind: "response", response: { url: "", statusCode: 200, headers: {}, body, redirects: 0 } };
  };
  const deps = testDeps({ http: { request } });
  const url = `https://${crypto.randomUUID()}.example/`;
  const late = robotsOfHost(deps, url, { owner: { teamId: "busy", keyId: "k" } });
  expect((await robotsOfHost(deps, url, { owner: { teamId: "other", keyId: "k" } })).kind).toBe("found");
  waiting.resolve(timeout);
  expect((await late).failure).toEqual({ code: "SCRAPE_TIMEOUT", message: "late", isUnsent: true });
  expect((await robotsOfHost(deps, url)).kind).toBe("found");
  expect(sent).toEqual(["busy", "other"]);
});

test("the request of a team is known to its pages also after another team has asked for the same file", async () => {
  const sent: (string | undefined)[] = [];
  const answer = Promise.withResolvers<OutboundOutcome>();
  const request = async ({ owner }: OutboundRequest): Promise<OutboundOutcome> => {
    sent.push(owner?.teamId);
    return await answer.promise;
  };
  const deps = testDeps({ http: { request } });
  const url = `https://${crypto.randomUUID()}.example/`;
  const ask = (teamId: string) => robotsOfHost(deps, url, { owner: { teamId, keyId: "k" } });
  const asking = [ask("a"), ask("b"), ask("a"), ask("b"), ask("a")];
  answer.resolve({ kind: "response", response: { url, statusCode: 404, headers: {}, body: new Uint8Array(), redirects: 0 } }); // prettier-ignore
  expect((await Promise.all(asking)).map(({ kind }) => kind)).toEqual(asking.map(() => "missing"));
  expect(sent).toEqual(["a", "b"]);
});
