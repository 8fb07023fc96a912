import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LanguageModel } from "../../../../src/ports/language-model.ts";
import { HOOK, monitorService, PRICES, PRICES_URL, pricePage } from "../../../fakes/services/monitor-service.ts";
import { startScriptedModel, type Script, type ScriptedModel } from "../../../fakes/upstream/scripted-model.ts";
import { modelAt } from "../../formats/page.ts";

let server: ScriptedModel;
beforeAll(async () => {
  server = await startScriptedModel(["ok"]);
});
afterAll(() => server.close());

const GOAL = "Tell me when cod gets cheaper";
const JUDGED = { ...PRICES, goal: GOAL, webhook: { url: HOOK } };

function judgedService(script: Script) {
  server.script(script);
  server.requests.length = 0;
  const model = modelAt(server);
  // The clock of the service stands still at another time than the model's.
  const generateObject: LanguageModel["generateObject"] = (request) =>
    model.generateObject({ ...request, deadlineMs: Date.now() + 10_000 });
  return monitorService({ ports: { llm: { ...model, generateObject } } });
}

/** A decision with one change. */
const decision = (before: string | null, after: string | null, meaningful = true): string =>
  JSON.stringify({
    meaningful,
    confidence: "high",
    reason: "The price fell.",
    meaningfulChanges: [{ type: "changed", before, after, reason: "It is a price of cod." }],
  });

async function changedPage(service: ReturnType<typeof monitorService>, body: object = JUDGED) {
  const id = await service.create(body);
  await service.run(id);
  service.web[PRICES_URL] = pricePage("Cod costs 3");
  const check = await service.run(id);
  return { check, page: check.pages[0] };
}

describe("a goal with a model", () => {
  test("is judged for changed pages alone, by their difference, for one credit", async () => {
    const service = judgedService([decision("Cod costs 4", "Cod costs 3")]);
    const created = (await (await service.post("/v2/monitor", JUDGED)).json()) as object;
    expect(created).not.toHaveProperty("warning");
    const { check, page } = await changedPage(service);
    expect(page).toMatchObject({
      status: "changed",
      judgment: {
        meaningful: true,
        confidence: "high",
        reason: "The price fell.",
        meaningfulChanges: [{ type: "changed", before: "Cod costs 4", after: "Cod costs 3" }],
      },
    });
    expect(page).not.toHaveProperty("warning");
    expect(check.actualCredits).toBe(2);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.said).toContain(GOAL);
    expect(server.requests[0]?.said).toContain("-Cod costs 4\n+Cod costs 3");
    const judged = service.told().find(({ data }) => data[0]?.["status"] === "changed");
    expect(judged?.data[0]).toMatchObject({ isMeaningful: true, judgment: { confidence: "high" } });
  });

  test("leaves out changes whose words are not in the difference, and marks the decision as uncertain", async () => {
    const { page } = await changedPage(judgedService([decision("Cod costs 9", "Cod costs 1")]));
    expect(page?.judgment).toMatchObject({ meaningful: true, confidence: "low", meaningfulChanges: [] });
  });

  test("names no changes when none matters, and the kind by the words that are there", async () => {
    const { page } = await changedPage(judgedService([decision("Cod costs 4", null, false)]));
    expect(page?.judgment).toMatchObject({ meaningful: false, confidence: "high", meaningfulChanges: [] });
    const removed = await changedPage(judgedService([decision("Cod costs 4", null)]));
    expect(removed.page?.judgment?.meaningfulChanges).toMatchObject([{ type: "removed", after: null }]);
  });

  test("is not judged when the model fails: a warning says so, and nothing is charged", async () => {
    const { check, page } = await changedPage(judgedService([{ refusal: "No" }]));
    expect(page).toMatchObject({ status: "changed", judgment: null, warning: expect.stringMatching(/^judgment: /) });
    expect(check.actualCredits).toBe(1);
  });

  test("is not judged with judgeEnabled false", async () => {
    const service = judgedService([decision("Cod costs 4", "Cod costs 3")]);
    const { page } = await changedPage(service, { ...JUDGED, judgeEnabled: false });
    expect(page).toMatchObject({ status: "changed", judgment: null });
    expect(server.requests).toHaveLength(0);
  });

  test("is judged for new search results by their title and description", async () => {
    const service = judgedService([decision(null, "As found")]);
    service.found.urls = ["https://a.example/1"];
    const id = await service.create({ ...JUDGED, targets: [{ type: "search", queries: ["cod"] }] });
    const first = await service.run(id);
    expect(first).toMatchObject({
      actualCredits: 3,
      pages: [{ status: "new", judgment: { meaningful: true, meaningfulChanges: [{ type: "added" }] } }],
    });
    expect(first.targetResults).toMatchObject([{ resultCount: 1, matches: 1, resultsJudged: 1 }]);
    const second = await service.run(id);
    expect(second.pages).toMatchObject([{ status: "same", judgment: null }]);
    expect(second.targetResults).toMatchObject([{ resultCount: 1, matches: 0, resultsJudged: 0 }]);
    expect(server.requests).toHaveLength(1);
  });

  test("does not count search results that are beside the goal as matches", async () => {
    const service = judgedService([decision(null, "As found", false), decision(null, "As found")]);
    service.found.urls = ["https://a.example/1", "https://a.example/2"];
    const id = await service.create({ ...JUDGED, targets: [{ type: "search", queries: ["cod"] }] });
    expect((await service.run(id)).targetResults).toMatchObject([{ resultCount: 2, matches: 1, resultsJudged: 2 }]);
  });

  const SEARCH = [{ type: "search", queries: ["cod"] }];
  test.each([
    { what: "a changed page", targets: PRICES.targets, at: "record", credits: 2 },
    { what: "a changed page", targets: PRICES.targets, at: "keepPage", credits: 2 },
    { what: "a search result", targets: SEARCH, at: "record", credits: 3 },
    { what: "a search result", targets: SEARCH, at: "keepPage", credits: 3 },
  ])("is paid once when a crash at $at follows the judgment of $what", async ({ targets, at, credits }) => {
    const change = decision(null, null);
    const service = judgedService([change, change]);
    const { deps, runs, web, found } = service;
    const id = await service.create({ ...JUDGED, schedule: { text: "weekly" }, targets });
    await service.run(id);
    const used = async (): Promise<number> => {
      const [key] = await deps.keys.listAll();
      return (await deps.keyLedger.usage(key?.id ?? "")).creditsUsed;
    };
    const before = await used();
    web[PRICES_URL] = pricePage("Cod costs 3");
    found.urls = ["https://a.example/1"];
    const checkId = await service.start(id);
    const { keepPage } = deps.monitors;
    const { record } = deps.keyLedger;
    const cutOff = async (): Promise<never> => Promise.reject(new Error("cut off"));
    if (at === "keepPage") deps.monitors.keepPage = cutOff;
    // The listing of the search is recorded before its results.
    else deps.keyLedger.record = async (keyId, work) => await (work.id === checkId ? record(keyId, work) : cutOff());
    await expect(service.drain()).rejects.toThrow("cut off");
    expect(server.requests).toHaveLength(1);
    // The counts of a run end with it.
    deps.meter.take();
    Object.assign(deps.monitors, { keepPage });
    Object.assign(deps.keyLedger, { record });
    runs.push(checkId);
    await service.drain();
    expect(await service.readCheck(id, checkId)).toMatchObject({ status: "completed", actualCredits: credits });
    expect(await used()).toBe(before + credits);
    // The second run judged the page again, which costs the key nothing.
    expect(server.requests).toHaveLength(2);
  });
});

test("a goal without a model is named in the warning of the monitor and of changed pages", async () => {
  const service = monitorService();
  const created = await (await service.post("/v2/monitor", JUDGED)).json();
  expect(created).toMatchObject({ warning: expect.stringContaining("no language model") });
  const { page } = await changedPage(service);
  expect(page).toMatchObject({
    status: "changed",
    judgment: null,
    warning: expect.stringContaining("no language model is configured"),
  });
});
