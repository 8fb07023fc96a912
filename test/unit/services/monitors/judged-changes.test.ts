import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LanguageModel } from "../../../../src/ports/language-model.ts";
import { HOOK, monitorService, PRICES, PRICES_URL, pricePage } from "../../../fakes/monitor-service.ts";
import { startScriptedModel, type Script, type ScriptedModel } from "../../../fakes/scripted-model.ts";
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
    expect((await service.run(id)).pages).toMatchObject([{ status: "same", judgment: null }]);
    expect(server.requests).toHaveLength(1);
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
