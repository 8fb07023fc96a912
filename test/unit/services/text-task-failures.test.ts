/** Texts that cannot be worked on in time cost their part of a response, and not the response. */
import { expect, test } from "vitest";
import type { RunTextTask } from "../../../src/content/text-tasks/text-tasks.ts";
import { AppError } from "../../../src/core/errors.ts";
import type { Engine, PageRequest } from "../../../src/engines/engine.ts";
import { changeTracking } from "../../../src/formats/change-tracking.ts";
import { comparePage } from "../../../src/services/monitors/compare-page.ts";
import { highlightResults } from "../../../src/services/search/highlight-results.ts";
import { testDeps } from "../../fakes/services/test-deps.ts";
import { contextFor, pageOf } from "../formats/page.ts";

const refuse: RunTextTask = async () => {
  throw new AppError("SERVICE_UNAVAILABLE");
};
const OWNER = { teamId: "team", keyId: "key" };

test("a search result keeps its description", async () => {
  const deps = testDeps({ textTasks: () => refuse });
  const result = {
    url: "https://harbour.example/",
    description: "As the provider says",
    markdown: "The ferry.",
    provider: "web",
  };
  const loading = { deadlineMs: 1_000, keep: false, owner: OWNER };
  await highlightResults(deps, { web: [result], news: [] }, { query: "ferry", load: false, ...loading });
  expect(result.description).toBe("As the provider says");
});

test("a search result waits for its text no longer than the search, and not after the client has left", async () => {
  const limits: unknown[] = [];
  const left = new AbortController().signal;
  const loads: PageRequest[] = [];
  const engine: Engine = {
    engine: "fetch",
    provides: new Set(),
    load: async (request) => {
      loads.push(request);
      return { kind: "failed", code: "SCRAPE_SITE_ERROR", message: "refused" };
    },
  };
  const deps = testDeps({
    clientLeft: left,
    engines: [engine],
    textTasks: (_owner, limit) => {
      limits.push(limit);
      return refuse;
    },
  });
  const read = { url: "https://a.example/", description: "", markdown: "The ferry.", provider: "web" };
  const unread = { url: "https://b.example/", description: "", provider: "web" };
  const deadlineMs = deps.clock.now() + 1_000;
  const loading = { deadlineMs, keep: false, owner: OWNER };
  await highlightResults(deps, { web: [read, unread], news: [] }, { query: "ferry", load: true, ...loading });
  expect(limits).toEqual([{ deadlineMs, left }]);
  expect(loads[0]?.waitLimit).toEqual({ deadlineMs, left });
});

test("a page of a monitor is changed, without a diff and with the reason", async () => {
  const state = { targetId: "t", url: "https://harbour.example/", scrapeId: null, textHash: "b", text: "new" };
  const before = { ...state, textHash: "a", text: "old" };
  const document = { markdown: "new", metadata: {} } as never;
  const compared = await comparePage({ lines: true, fields: false }, { before, state, document }, refuse);
  expect(compared).toEqual({
    status: "changed",
    diff: null,
    warning: expect.stringContaining("could not be compared"),
  });
});

test("a scrape tells whether the page has changed, and why there is no diff", async () => {
  const page = await pageOf("<main><h1>Ferry</h1><p>It sails at ten.</p></main>");
  const context = { ...contextFor(), task: refuse };
  context.history = {
    nowMs: 1_000,
    find: async () => ({ scrapedAtMs: 0, markdown: "It sailed at nine." }),
    save: async () => undefined,
  };
  const { changeTracking: tracked } = await changeTracking.derive(
    page,
    { type: "changeTracking", modes: ["git-diff"] },
    context,
  );
  expect(tracked).toMatchObject({ changeStatus: "changed" });
  expect(tracked).not.toHaveProperty("diff");
  expect(context.warnings.join(" ")).toContain("could not be compared");
});
