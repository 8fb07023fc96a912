import { expect, test } from "vitest";
import { isAllowed } from "../../../../src/content/crawling/robots.ts";
import { robotsOfHost } from "../../../../src/services/crawl/robots-of-host.ts";
import { scriptedHttp, type ScriptedResponse } from "../../../fakes/upstream/scripted-http.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

/** A host that no other test knows, whose robots.txt answers so. */
function host(answer: ScriptedResponse | undefined) {
  const origin = `https://${crypto.randomUUID()}.example`;
  const http = scriptedHttp(answer === undefined ? {} : { [`${origin}/robots.txt`]: answer });
  const time = { nowMs: 1_700_000_000_000 };
  const deps = testDeps({ http, clock: { now: () => time.nowMs } });
  return { http, time, ask: () => robotsOfHost(deps, `${origin}/some/page`), page: `${origin}/private/a` };
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
