/** The reason that a page of a crawl is not loaded: the host's, and not robots.txt's, when the host gives no response. */
import { expect, test } from "vitest";
import type { FrontierItem } from "../../../../src/core/crawl/frontier.ts";
import { HostFacts } from "../../../../src/services/scrape/host-facts.ts";
import type { WorkerRunContext } from "../../../../src/services/crawl/run/worker-run-context.ts";
import { scriptedHttp, type ScriptedResponse } from "../../../fakes/upstream/scripted-http.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

async function refusal(robots: ScriptedResponse, { attempt = 1, lost = 0, path = "page" } = {}) {
  const origin = `https://${crypto.randomUUID()}.example`;
  const deps = testDeps({ http: scriptedHttp({ [`${origin}/robots.txt`]: robots }) });
  const context = {
    deps,
    kind: { robotsAgent: () => "Orbweaver" },
    specification: { input: {}, key: { id: "key", teamId: "team" } },
  };
  const item = { key: "page", url: `${origin}/${path}`, attempt, lost };
  return new HostFacts(context as unknown as WorkerRunContext).refusal(item as FrontierItem);
}

test("a host that gives no response fails its pages with its own error, and they are tried again soon", async () => {
  expect(await refusal({ failed: "SCRAPE_SITE_ERROR" })).toMatchObject({
    kind: "failed",
    code: "SCRAPE_SITE_ERROR",
    error: expect.stringMatching(/^The host of this page could not be reached: /),
    retryable: true,
    retryAfterMs: 2_000,
  });
  expect(await refusal({ failed: "SCRAPE_SITE_ERROR" }, { attempt: 3 })).toMatchObject({ retryable: false });
  expect(await refusal({ failed: "SCRAPE_SITE_ERROR" }, { attempt: 3, lost: 1 })).toMatchObject({ retryable: true });
});

test("a host that does not send its robots.txt in time is asked once more", async () => {
  expect(await refusal({ failed: "SCRAPE_TIMEOUT" })).toMatchObject({ code: "SCRAPE_TIMEOUT", retryable: true });
  expect(await refusal({ failed: "SCRAPE_TIMEOUT" }, { attempt: 2 })).toMatchObject({ retryable: false });
  expect(await refusal({ failed: "SCRAPE_TIMEOUT" }, { attempt: 2, lost: 1 })).toMatchObject({ retryable: true });
});

test("a page whose robots.txt was not requested is tried again, and its host is not named as the reason", async () => {
  const message = "The team has no connection left";
  const unsent = { failed: "SCRAPE_TIMEOUT", message, isUnsent: true } as const;
  const first = { kind: "failed", code: "SCRAPE_TIMEOUT", error: message, retryable: true, retryAfterMs: 15_000 };
  expect(await refusal(unsent)).toMatchObject(first);
  expect(await refusal(unsent, { attempt: 2 })).toMatchObject({ retryable: true });
  expect(await refusal(unsent, { attempt: 3 })).toMatchObject({ retryable: false });
});

test("an error for robots.txt closes the site for longer", async () => {
  expect(await refusal({ status: 503 })).toMatchObject({
    kind: "failed",
    error: expect.stringContaining("robots.txt cannot be read"),
    retryAfterMs: 15_000,
  });
});

test("a page that robots.txt allows has no reason, and one that it forbids has", async () => {
  expect(await refusal("User-agent: *\nDisallow: /private")).toBeUndefined();
  expect(await refusal("User-agent: *\nDisallow: /")).toEqual({ key: "page", attempt: 1, kind: "robots" });
});

test("pages whose URLs take long to compare with robots.txt let others run in between", async () => {
  const rules = Array.from({ length: 1_000 }, (_, n) => `Disallow: /*${"a".repeat(17)}${n}*`).join("\n");
  const robots = `User-agent: *\n${rules}`;
  let turns = 0;
  const others = setInterval(() => turns++, 0);
  expect(await refusal(robots, { path: "a".repeat(2_000) })).toBeUndefined();
  clearInterval(others);
  expect(turns).toBeGreaterThan(5);
});
