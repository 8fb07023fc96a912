import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { agentService } from "../../../fakes/services/agent-service.ts";
import { startScriptedModel, type ScriptedModel } from "../../../fakes/upstream/scripted-model.ts";
import { ADMIN_KEY } from "../../../fakes/services/test-deps.ts";
import { modelAt } from "../../formats/page.ts";

const HOME = "https://ferry.example/";
const TIMES = "https://ferry.example/times";
const GONE = "https://gone.example/";
const PROMPT = "When does the ferry sail on Sundays?";
/** Asks for no value, so that everything is read. */
const ABOUT = "Tell me about the ferry and its dogs";
const SAYING = "On Sundays the ferry sails at ten.";
const pageThatSays = (text: string): string =>
  `<main><h1>Ferry</h1><p>${text} Dogs travel free of charge, and bicycles too.</p></main>`;
const PAGES = { [HOME]: pageThatSays(SAYING), [TIMES]: pageThatSays("The ferry sails all week.") };

interface Run {
  id: string;
  status: string;
  creditsUsed: number;
  warning?: string;
  data?: { result: string; sources: string[] };
}

interface Event {
  type: string;
  occurredAt: string;
  producerSequence: number;
  toolCallId?: string;
  toolName?: string;
  parameters?: unknown;
  result?: Record<string, unknown>;
  outcome?: string;
  artifact?: { kind: string; path?: string; itemCount?: number; snapshotId: string };
}

interface Trace {
  success: boolean;
  id: string;
  events: Event[];
  creditsUsed: number;
  activeBrowserSessions?: unknown[];
}

type Service = ReturnType<typeof agentService>;

async function run({ post }: Service, body: object, key?: string): Promise<Run> {
  const response = await post("/v2/agent", { prompt: PROMPT, ...body }, key === undefined ? {} : { key });
  return (await response.json()) as Run;
}

async function traceOf({ ask }: Service, id: string, query = ""): Promise<Trace> {
  return (await (await ask(`/v2/agent/${id}/trace${query}`)).json()) as Trace;
}

const finishedOf = ({ events }: Trace): Event[] => events.filter(({ type }) => type === "tool_call.finished");

describe("the evidence of an agent", () => {
  const schema = { type: "object", properties: { price: { type: "number" } } };
  const TICKETS = { [HOME]: "<main><h1>Ferry</h1><dl><dt>Price</dt><dd>4.50</dd></dl></main>" };

  test("is in the response to a request that asks for it, and in no other", async () => {
    const service = agentService({ pages: TICKETS });
    const asked = await run(service, { urls: [HOME], schema, evidence: true });
    expect(asked).toMatchObject({ data: { price: 4.5 }, evidence: [{ field: "price", url: HOME }] });
    const status = await service.ask(`/v2/agent/${asked.id}`);
    expect(await status.json()).toMatchObject({ evidence: [{ field: "price", url: HOME }] });
    const plain = await run(service, { urls: [HOME], schema });
    expect(plain).toMatchObject({ data: { price: 4.5 }, sources: [HOME] });
    expect(plain).not.toHaveProperty("evidence");
  });

  test.each([{}, { schema: {} }])("is none of quotes without a schema (%j), and the warning says so", async (more) => {
    const { warning } = await run(agentService({ pages: TICKETS }), { urls: [HOME], evidence: true, ...more });
    expect(warning).toContain("evidence: an answer that quotes pages without a schema has none.");
  });
});

describe("the trace of an agent", () => {
  test("tells each tool, with what, for how many credits, and what came of it", async () => {
    const service = agentService({ pages: PAGES });
    const { id, creditsUsed } = await run(service, { prompt: ABOUT, urls: [HOME, GONE] });
    const trace = await traceOf(service, id, "?liveView=true");
    expect(trace).toMatchObject({ success: true, id, creditsUsed, activeBrowserSessions: [] });
    expect(trace.events.map(({ producerSequence }) => producerSequence)).toEqual(trace.events.map((_, at) => at + 1));
    expect(trace.events[0]).toMatchObject({
      type: "run.started",
      schemaVersion: 1,
      runId: id,
      agent: { role: "orchestrator" },
    });
    expect(trace.events.at(-1)).toMatchObject({ type: "run.finished", outcome: "succeeded", error: null });
    expect(finishedOf(trace).map(({ toolName, result }) => ({ toolName, result }))).toEqual([
      { toolName: "scrape", result: { outcome: "done", creditsUsed: 1, durationMs: 0, url: HOME, statusCode: 200 } },
      {
        toolName: "scrape",
        result: {
          outcome: "failed", creditsUsed: 0, durationMs: 0,
          error: { code: "SCRAPE_SSL_ERROR", message: "The certificate has expired" },
        },
      },
      { toolName: "search", result: { outcome: "done", creditsUsed: 2, durationMs: 0, urls: [HOME, TIMES] } },
      { toolName: "scrape", result: expect.objectContaining({ url: TIMES }) },
    ]); // prettier-ignore
    const spent = finishedOf(trace).reduce((sum, { result }) => sum + Number(result?.["creditsUsed"]), 0);
    expect(spent).toBe(creditsUsed);
    const started = trace.events.filter(({ type }) => type === "tool_call.started");
    expect(started.map(({ toolCallId }) => toolCallId)).toEqual(finishedOf(trace).map(({ toolCallId }) => toolCallId));
    expect(started.map(({ parameters }) => parameters)).toEqual([
      { url: HOME },
      { url: GONE },
      { query: ABOUT, limit: 8 },
      { url: TIMES },
    ]);
  });

  test("holds nothing of what the pages say", async () => {
    const service = agentService({ pages: PAGES });
    const { id } = await run(service, { urls: [HOME] });
    expect(JSON.stringify(await traceOf(service, id))).not.toContain("sails at ten");
  });

  test("names the content that each step left, which its snapshot returns", async () => {
    const service = agentService({ pages: PAGES });
    const { id, data } = await run(service, { prompt: ABOUT, urls: [HOME, GONE] });
    const { events } = await traceOf(service, id);
    const artifacts = events.flatMap(({ type, artifact }) => (type === "artifact.updated" ? (artifact ?? []) : []));
    expect(artifacts.map(({ kind, path, itemCount }) => ({ kind, path, itemCount }))).toEqual([
      { kind: "markdown", path: HOME },
      { kind: "json", itemCount: 2 },
      { kind: "markdown", path: TIMES },
      { kind: "json" },
    ]);
    const contents = await Promise.all(
      artifacts.map(async ({ snapshotId }) => {
        const answer = await service.ask(`/v2/agent/${id}/snapshots/${snapshotId}`);
        expect(await answer.clone().json()).toMatchObject({ success: true, id, snapshotId });
        return ((await answer.json()) as { snapshot: string }).snapshot;
      }),
    );
    expect(contents[0]).toContain("sails at ten");
    expect(JSON.parse(contents[1] ?? "")).toMatchObject([{ url: HOME }, { url: TIMES }]);
    expect(contents[2]).toContain("sails all week");
    expect(contents[3]).toContain(JSON.stringify(data?.result));
    expect(JSON.parse(contents[3] ?? "")).not.toHaveProperty("memory");
  });

  test.each(["step-2", "step-99", "step-0", "none"])("has no snapshot %s", async (snapshotId) => {
    const service = agentService({ pages: PAGES });
    const { id } = await run(service, { prompt: ABOUT, urls: [HOME, GONE] });
    const answer = await service.ask(`/v2/agent/${id}/snapshots/${snapshotId}`);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toEqual({ success: false, error: "Agent snapshot not found" });
  });

  test("tells what a budget did not allow, as the answer does", async () => {
    const service = agentService({ pages: PAGES });
    const { id, status, creditsUsed, warning } = await run(service, { prompt: ABOUT, urls: [HOME], maxCredits: 3 });
    expect([status, creditsUsed]).toEqual(["completed", 3]);
    expect(warning).toContain("budget is used up");
    const trace = await traceOf(service, id);
    expect(finishedOf(trace).at(-1)).toMatchObject({
      toolName: "scrape",
      result: { outcome: "failed", creditsUsed: 0, error: { code: "INSUFFICIENT_CREDITS" } },
    });
    expect(trace.events.at(-1)).toMatchObject({ type: "run.finished", outcome: "credit_limit_reached" });
  });

  test.each([
    { what: "of an unknown agent", id: crypto.randomUUID(), status: 404 },
    { what: "of no id", id: "7", status: 400 },
  ])("$what is refused", async ({ id, status }) => {
    expect((await agentService({ pages: {} }).ask(`/v2/agent/${id}/trace`)).status).toBe(status);
  });

  test("is the team's own", async () => {
    const service = agentService({ pages: PAGES });
    const { id } = await run(service, { urls: [HOME] });
    const made = await service.post(
      "/v2/team/keys",
      { name: "other", teamId: crypto.randomUUID() },
      { key: ADMIN_KEY },
    );
    const { key } = ((await made.json()) as { data: { key: string } }).data;
    expect((await service.ask(`/v2/agent/${id}/trace`, { key })).status).toBe(404);
    const list = await service.ask("/v2/agent", { key });
    expect(await list.json()).toMatchObject({ agents: [] });
  });
});

describe("the trace of an agent with a model", () => {
  let server: ScriptedModel;
  beforeAll(async () => {
    server = await startScriptedModel(["ok"]);
  });
  afterAll(() => server.close());

  test("tells the model's turns and the tools that it asked for", async () => {
    server.script([
      { toolCalls: [{ name: "read_page", input: { url: HOME } }] },
      { toolCalls: [{ name: "list_site", input: { url: "https://elsewhere.example/" } }] },
      { text: `At ten (${HOME}).` },
    ]);
    const service = agentService({ pages: PAGES, llm: modelAt(server) });
    const { id } = await run(service, { urls: [HOME] });
    const trace = await traceOf(service, id);
    expect(finishedOf(trace).map(({ toolName, result }) => [toolName, result?.["calls"] ?? result?.["url"]])).toEqual([
      ["model", ["read_page"]],
      ["scrape", HOME],
      ["model", ["list_site"]],
      ["model", []],
    ]);
    expect(finishedOf(trace)[0]?.result).toMatchObject({ inputTokens: 100, outputTokens: 20, creditsUsed: 0 });
    expect(JSON.stringify(trace)).not.toContain("sails at ten");
  });

  test.each([2, 4, 6, 8, 10])("a turn that is lost at its step %d costs nothing twice", async (losesRunAt) => {
    const script = [
      { toolCalls: [{ name: "search", input: { query: "ferry" } }] },
      { toolCalls: [{ name: "read_page", input: { url: HOME } }] },
      { toolCalls: [{ name: "read_page", input: { url: TIMES } }] },
      { text: `At ten (${HOME}).` },
    ];
    server.script(({ messages }) => script[messages.filter(({ role }) => role === "assistant").length] ?? "Nothing.");
    server.requests.length = 0;
    const service = agentService({ pages: PAGES, llm: modelAt(server), losesRunAt });
    const { id, status, creditsUsed } = await run(service, {});
    expect([status, creditsUsed]).toEqual(["completed", 4]);
    expect(service.loaded).toEqual([HOME, TIMES]);
    expect(server.requests).toHaveLength(4);
    expect(finishedOf(await traceOf(service, id))).toHaveLength(7);
    const usage = await service.ask("/v2/team/credit-usage");
    expect(await usage.json()).toMatchObject({ data: { planCredits: 1000, remainingCredits: 996 } });
  });

  test("quotes what was read when a model has no credits left and still says nothing", async () => {
    server.script(({ messages }) => {
      const url = messages.some(({ role }) => role === "assistant") ? TIMES : HOME;
      return { toolCalls: [{ name: "read_page", input: { url } }] };
    });
    server.requests.length = 0;
    const service = agentService({ pages: PAGES, llm: modelAt(server) });
    const { creditsUsed, warning, data } = await run(service, { urls: [HOME, TIMES], maxCredits: 1 });
    expect(creditsUsed).toBe(1);
    expect(data?.result).toContain(SAYING);
    expect(data?.sources).toEqual([HOME]);
    expect(warning).toContain("The credits ran out");
    // Once more after it has been told, and not again and again.
    expect(server.requests).toHaveLength(3);
    expect(server.requests[2]?.said).toContain("Answer now from what you have read");
  });

  test("tells a model that its credits are used up, and the caller too", async () => {
    server.script([
      { toolCalls: [{ name: "read_page", input: { url: HOME } }] },
      { toolCalls: [{ name: "search", input: { query: "ferry" } }] },
      { text: "At ten." },
    ]);
    const service = agentService({ pages: PAGES, llm: modelAt(server) });
    const { id, status, creditsUsed, warning } = await run(service, { urls: [HOME], maxCredits: 1 });
    expect([status, creditsUsed]).toEqual(["completed", 1]);
    expect(warning).toContain("The credits ran out before the agent finished.");
    expect((await traceOf(service, id)).events.at(-1)).toMatchObject({ outcome: "credit_limit_reached" });
  });
});

interface AgentList {
  agents: { id: string; createdAt: string; status: string; origin: string; options?: object }[];
  next?: string;
}

describe("the list of agents", () => {
  test("is newest first, page by page, and parts no two of the same moment", async () => {
    const service = agentService({ pages: {} });
    const ids: string[] = [];
    for (let number = 0; number < 43; number++) {
      // Those that are not waited for begin in the same moment.
      const starts = number % 3 === 0 ? 2 : 1;
      const runs = await Promise.all(Array.from({ length: starts }, () => run(service, {})));
      ids.push(...runs.map(({ id }) => id));
    }
    const seen: AgentList["agents"] = [];
    let path: string | undefined = "/v2/agent";
    let pages = 0;
    while (path !== undefined) {
      const { agents, next }: AgentList = (await (await service.ask(path)).json()) as AgentList;
      expect(agents.length).toBeGreaterThanOrEqual(next === undefined ? 0 : 20);
      if (next !== undefined) expect(next).toMatch(/^http:\/\/localhost\/v2\/agent\?before=\d+$/);
      seen.push(...agents);
      path = next?.replace("http://localhost", "");
      pages++;
    }
    expect(pages).toBe(3);
    expect(seen.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    const moments = seen.map(({ createdAt }) => createdAt);
    expect(moments).toEqual(moments.toSorted().toReversed());
  });

  test("tells what each was asked, by whom, and how it stands", async () => {
    const service = agentService({ pages: PAGES });
    const schema = { type: "object", properties: { hour: { type: "string" } } };
    const { id } = await run(service, { urls: [HOME], schema, origin: "mcp", integration: "cli", model: "spark-2" });
    const { agents } = (await (await service.ask("/v2/agent")).json()) as AgentList;
    expect(agents).toEqual([
      {
        id,
        createdAt: expect.stringMatching(/Z$/),
        targetHint: HOME,
        origin: "mcp",
        integration: "cli",
        settings: { hidden: false, starred: false },
        status: "completed",
        options: { prompt: PROMPT, urls: [HOME], schema, model: "rules" },
      },
    ]);
  });

  test.each(["x", "-1", "1e3"])("refuses before=%s", async (before) => {
    expect((await agentService({ pages: {} }).ask(`/v2/agent?before=${before}`)).status).toBe(400);
  });
});

test.each([
  { origin: "python-sdk@4.37.0", model: "spark-1-pro" },
  { origin: "python-sdk@3.99.9", model: "spark-1-pro" },
  { origin: "python-sdk@4.37.1rc0", model: "spark-1-pro" },
  { origin: "python-sdk@None", model: "spark-1-pro" },
  { origin: "python-sdk@4.37.1", model: "rules" },
  { origin: "python-sdk@5.0.0", model: "rules" },
  { origin: "rust-sdk@2.14.9", model: "spark-1-pro" },
  { origin: "rust-sdk@2.15.0", model: "rules" },
  { origin: "js-sdk@4.0.0", model: "rules" },
  { origin: undefined, model: "rules" },
])("the status of a run of $origin shows the model $model", async ({ origin, model }) => {
  const service = agentService({ pages: PAGES });
  const started = await run(service, { urls: [HOME], origin });
  const status = await (await service.ask(`/v2/agent/${started.id}`)).json();
  expect([started, status]).toMatchObject([{ model }, { model }]);
});

test("an agent whose result cannot be read after its start is answered with its id", async () => {
  const service = agentService({ pages: PAGES });
  const { progress } = service.deps.stepJobs;
  Object.assign(service.deps.stepJobs, { progress: () => Promise.reject(new AppError("SERVICE_UNAVAILABLE")) });
  const response = await service.post("/v2/agent", { prompt: PROMPT, urls: [HOME] });
  Object.assign(service.deps.stepJobs, { progress });
  const started = (await response.json()) as Run;
  expect([response.status, started]).toMatchObject([200, { success: true, id: expect.stringMatching(/./) }]);
  expect(await service.deps.jobs.find(started.id)).toMatchObject({ kind: "agent" });
});
