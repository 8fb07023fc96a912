import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiKey } from "../../../../src/core/account/api-key.ts";
import { readThread } from "../../../../src/services/research/agent-threads.ts";
import { runStepJob } from "../../../../src/services/jobs/run-step-job.ts";
import { agentService } from "../../../fakes/services/agent-service.ts";
import { scriptedHttp, type ScriptedResponse } from "../../../fakes/upstream/scripted-http.ts";
import { startScriptedModel, type ScriptedModel } from "../../../fakes/upstream/scripted-model.ts";
import { ADMIN_KEY } from "../../../fakes/services/test-deps.ts";
import { modelAt } from "../../formats/page.ts";

const HOME = "https://ferry.example/";
const HOOK = "https://hook.example/";
const PAGES = {
  [HOME]: `<main><h1>Ferry</h1><p>A ticket costs £4.</p><p>Captain Ida Rook founded the line.</p>
    <h3>May dogs come along?</h3><p>Yes, on a lead.</p></main>`,
};

interface Answer {
  id: string;
  status: string;
  threadId: string;
  threadTurn: number;
  mode: string;
  message?: string;
  data?: { result: string; sources: string[] };
  suggestions?: { label: string; prompt: string }[];
  stopReason?: string;
  creditsUsed: number;
  warning?: string;
  code?: string;
  error?: string;
  runId?: string;
}
type Service = ReturnType<typeof agentService>;

async function ask(service: Service, body: object, key?: string): Promise<Answer & { http: number }> {
  const response = await service.post("/v2/agent", body, key === undefined ? {} : { key });
  return { ...((await response.json()) as Answer), http: response.status };
}

async function otherKey({ post }: Service): Promise<string> {
  const made = await post("/v2/team/keys", { name: "other", teamId: crypto.randomUUID() }, { key: ADMIN_KEY });
  return ((await made.json()) as { data: { key: string } }).data.key;
}

const read = async ({ ask: get }: Service, path: string, key?: string) => {
  const response = await get(path, key === undefined ? {} : { key });
  return { http: response.status, body: JSON.parse(await response.text()) };
};

describe("a thread of agents", () => {
  test("answers a follow-up from the pages of the thread", async () => {
    const service = agentService({ pages: PAGES });
    const first = await ask(service, { prompt: "What does a ticket cost?", urls: [HOME], mode: "chat" });
    expect(first).toMatchObject({ threadId: first.id, threadTurn: 1, mode: "chat", stopReason: "completed" });
    expect(first.message).toContain("£4");
    expect(first.data).toBeUndefined();
    expect(first.suggestions).toEqual([{ label: "May dogs come along?", prompt: "May dogs come along?" }]);
    expect(service.loaded).toEqual([HOME]);

    const second = await ask(service, { prompt: "Who founded the line?", threadId: first.threadId });
    expect(second).toMatchObject({ threadId: first.id, threadTurn: 2, mode: "chat", creditsUsed: 0 });
    expect(second.message).toContain("Ida Rook");
    expect(service.loaded).toEqual([HOME]);

    const alone = await ask(service, { prompt: "Who founded the line?", mode: "chat" });
    expect(alone).toMatchObject({ threadTurn: 1 });
    expect(alone.threadId).not.toBe(first.threadId);
  });

  test("is read, listed and deleted by its team alone", async () => {
    const service = agentService({ pages: PAGES });
    const first = await ask(service, { prompt: "What does a ticket cost?", urls: [HOME] });
    const second = await ask(service, { prompt: "Who founded the line?", threadId: first.id, effort: "low" });
    const path = `/v2/agent/threads/${first.id}`;
    const { http, body } = await read(service, `${path}?includeData=true`);
    expect(http).toBe(200);
    expect(body.thread).toMatchObject({
      id: first.id,
      status: "idle",
      runs: [
        { id: first.id, turn: 1, prompt: "What does a ticket cost?", urls: [HOME], status: "succeeded", data: first.data },
        { id: second.id, turn: 2, prompt: "Who founded the line?", effort: "low", status: "succeeded", message: null },
      ],
    }); // prettier-ignore
    expect((await read(service, path)).body.thread.runs[0].data).toBeUndefined();
    const list = await read(service, "/v2/agent/threads");
    expect(list.body.threads.map(({ id }: { id: string }) => id)).toEqual([first.id]);

    const key = await otherKey(service);
    expect((await read(service, path, key)).body).toMatchObject({ code: "thread_not_found" });
    expect((await read(service, "/v2/agent/threads", key)).body.threads).toEqual([]);
    expect((await service.ask(path, { method: "DELETE", key })).status).toBe(404);
    const stolen = await ask(service, { prompt: "Who founded the line?", threadId: first.id }, key);
    expect([stolen.http, stolen.code]).toEqual([404, "thread_not_found"]);

    expect((await service.ask(path, { method: "DELETE" })).status).toBe(200);
    expect((await read(service, path)).http).toBe(404);
    expect((await read(service, `/v2/agent/${first.id}`)).http).toBe(404);
    expect((await read(service, `/v2/agent/${second.id}`)).http).toBe(404);
    expect((await read(service, "/v2/agent/threads")).body.threads).toEqual([]);
  });

  test("shows a schema that is too long for the lists, which show the rest", async () => {
    const service = agentService({ pages: PAGES });
    const schema = { type: "object", properties: { price: { type: "string", description: "p".repeat(20_000) } } };
    const { id } = await ask(service, { prompt: "What does a ticket cost?", urls: [HOME], schema, effort: "low" });
    const { body } = await read(service, `/v2/agent/threads/${id}`);
    expect(body.thread.runs).toMatchObject([
      { prompt: "What does a ticket cost?", urls: [HOME], effort: "low", schema },
    ]);
    const [item] = (await read(service, "/v2/agent")).body.agents;
    expect(item.options).toEqual({ prompt: "What does a ticket cost?", urls: [HOME], model: "rules", effort: "low" });
  });

  test("is kept without the memories of its runs, and deleted without its results being read", async () => {
    const service = agentService({ pages: PAGES });
    const { deps } = service;
    const first = await ask(service, { prompt: "What does a ticket cost?", urls: [HOME] });
    const { teamId = "" } = (await deps.jobs.find(first.id)) ?? {};
    const key: ApiKey = { id: "key", teamId, name: "key", prefix: "fc-000000", scopes: { admin: false }, limits: {}, createdAtMs: 0, revokedAtMs: undefined }; // prettier-ignore
    const thread = await readThread(deps, { key }, { threadId: first.id, hasData: false });
    expect(thread.runs.map(({ result }) => Object.keys(result))).toEqual([["suggestions", "stopReason", "warning"]]);

    const { stepJobs } = deps;
    const progress = stepJobs.progress.bind(stepJobs);
    stepJobs.progress = async (id) => {
      const found = await progress(id);
      return found && { ...found, result: { object: "gone" } };
    };
    expect((await service.ask(`/v2/agent/threads/${first.id}`, { method: "DELETE" })).status).toBe(200);
    expect(await progress(first.id)).toBeUndefined();
  });

  test("that is deleted while its cancelled run reads a page is charged the page, and its credits and slot are released", async () => {
    const service = agentService({ pages: PAGES });
    const { deps } = service;
    const [engine] = deps.engines;
    const load = engine?.load.bind(engine);
    if (engine === undefined || load === undefined) throw new Error("No engine");
    let id = "";
    engine.load = async (...request) => {
      id = (await read(service, "/v2/agent")).body.agents[0].id;
      for (const path of [`/v2/agent/${id}`, `/v2/agent/threads/${id}`])
        expect((await service.ask(path, { method: "DELETE" })).status).toBe(200);
      expect((await read(service, `/v2/agent/threads/${id}`)).http).toBe(404);
      return await load(...request);
    };
    await ask(service, { prompt: "What does a ticket cost?", urls: [HOME] });
    const keyId = (await deps.keys.listAll())[0]?.id ?? "";
    expect((await deps.keyLedger.usage(keyId)).creditsUsed).toBe(1);
    expect(await deps.keyLedger.takeSlot(keyId, { jobId: "next", limit: 1, leaseMs: 60_000 })).toBe(true);
    expect(await deps.stepJobs.progress(id)).toBeUndefined();
  });

  test("that is deleted sends its last event again when that has failed, and is listed no more", async () => {
    const service = agentService({ pages: PAGES });
    const { deps, clock, stepJobs } = service;
    const hook: Record<string, ScriptedResponse> = { [HOOK]: { status: 500 } };
    const http = scriptedHttp(hook);
    deps.http = http;
    const [engine] = deps.engines;
    const load = engine?.load.bind(engine);
    if (engine === undefined || load === undefined) throw new Error("No engine");
    let id = "";
    engine.load = async (...request) => {
      id = (await read(service, "/v2/agent")).body.agents[0].id;
      await service.ask(`/v2/agent/threads/${id}`, { method: "DELETE" });
      return await load(...request);
    };
    const webhook = { url: HOOK, events: ["cancelled"] };
    await ask(service, { prompt: "What does a ticket cost?", urls: [HOME], webhook });
    expect(http.seen).toHaveLength(1);
    await deps.jobs.purge({ nowMs: clock.now(), createdBeforeMs: 0 }, 10);
    hook[HOOK] = "";
    clock.advance(60_000);
    await runStepJob(deps, { jobId: id, runId: await stepJobs.beginRun(id) });
    expect(http.seen).toHaveLength(2);
    expect(await deps.jobs.find(id)).toBeUndefined();
    expect(await stepJobs.progress(id)).toBeUndefined();
  });

  test.each([
    { why: "an unknown thread", threadId: crypto.randomUUID(), http: 404 },
    { why: "no id", threadId: "7", http: 400 },
  ])("refuses $why", async ({ threadId, http }) => {
    const answer = await ask(agentService({ pages: PAGES }), { prompt: "Who?", threadId });
    expect(answer.http).toBe(http);
  });

  test("names the run in progress to a second follow-up", async () => {
    const service = agentService({ pages: PAGES });
    const first = await ask(service, { prompt: "What does a ticket cost?", urls: [HOME] });
    const both = await Promise.all([
      ask(service, { prompt: "Who founded the line?", threadId: first.id }),
      ask(service, { prompt: "May dogs come along?", threadId: first.id }),
    ]);
    const [done, busy] = both.toSorted((one, other) => one.http - other.http);
    expect(done).toMatchObject({ http: 200, threadTurn: 2 });
    expect(busy).toMatchObject({ http: 409, code: "thread_busy", runId: done?.id });
  });

  test("answers a repeat of a follow-up with its run, during the run and after it", async () => {
    const service = agentService({ pages: PAGES });
    const first = await ask(service, { prompt: "What does a ticket cost?", urls: [HOME] });
    const headers = { "x-idempotency-key": crypto.randomUUID() };
    const followUp = { prompt: "Who founded the line?", threadId: first.id };
    const send = async (body: object) => {
      const response = await service.post("/v2/agent", body, { headers });
      return { ...((await response.json()) as Answer), http: response.status };
    };
    const [one, other] = await Promise.all([send(followUp), send(followUp)]);
    expect(one).toMatchObject({ http: 200, threadTurn: 2 });
    expect(other).toMatchObject({ http: 200, threadTurn: 2, id: one.id });
    const third = await ask(service, { prompt: "May dogs come along?", threadId: first.id });
    expect(third).toMatchObject({ http: 200, threadTurn: 3 });
    const late = await send(followUp);
    // One of both waits while the other's run goes on, here without time for it.
    const data = one.data ?? other.data;
    expect(data).toBeDefined();
    expect(late).toMatchObject({ http: 200, threadTurn: 2, id: one.id, data });
    expect((await send({ ...followUp, prompt: "Who else?" })).http).toBe(409);
    const { body } = await read(service, `/v2/agent/threads/${first.id}`);
    expect(body.thread.runs).toHaveLength(3);
  });

  test("keeps the turn of a run that one of two equal requests has started when the other one is refused", async () => {
    const service = agentService({ pages: PAGES });
    const first = await ask(service, { prompt: "What does a ticket cost?", urls: [HOME] });
    const { start } = service.stepJobs;
    service.stepJobs.start = async (id, job) => (await start(id, job)) && false;
    const refused = await ask(service, { prompt: "Who founded the line?", threadId: first.id });
    expect(refused.http).toBe(429);
    expect(await service.deps.agentTurns.list(first.id ?? "")).toMatchObject([{ turn: 2 }]);
  });

  test.each([{ at: "claim" }, { at: "start" }, { at: "record" }] as const)(
    "that is deleted before the $at of a follow-up has no new run",
    async ({ at }) => {
      const service = agentService({ pages: PAGES });
      const { deps, stepJobs } = service;
      const first = await ask(service, { prompt: "What does a ticket cost?", urls: [HOME] });
      const [{ claim }, { start }, { insert }] = [deps.agentTurns, stepJobs, deps.jobs];
      let runId = "";
      const remove = async () => {
        Object.assign(deps.jobs, { insert });
        const { status } = await service.ask(`/v2/agent/threads/${first.id}`, { method: "DELETE" });
        expect(status).toBe(200);
      };
      deps.agentTurns.claim = async (turn) => {
        runId = turn.runId;
        if (at === "claim") await remove();
        return await claim(turn);
      };
      stepJobs.start = async (...job) => {
        if (at === "start") await remove();
        return await start(...job);
      };
      deps.jobs.insert = async (...job) => {
        if (at === "record") await remove();
        await insert(...job);
      };
      const followUp = await ask(service, { prompt: "Who founded the line?", threadId: first.id });
      expect([followUp.http, followUp.code]).toEqual([404, "thread_not_found"]);
      const progress = await stepJobs.progress(runId);
      expect(progress?.status ?? "cancelled").toBe("cancelled");
      expect((await read(service, `/v2/agent/${runId}`)).http).toBe(404);
      expect((await read(service, `/v2/agent/threads/${first.id}`)).http).toBe(404);
      expect(service.loaded).toEqual([HOME]);
    },
  );

  test("that is deleted has no new run after a repeat of its first request", async () => {
    const service = agentService({ pages: PAGES });
    const headers = { "x-idempotency-key": crypto.randomUUID() };
    const send = async () => {
      const response = await service.post(
        "/v2/agent",
        { prompt: "What does a ticket cost?", urls: [HOME] },
        { headers },
      );
      return { ...((await response.json()) as Answer), http: response.status };
    };
    const first = await send();
    expect(first).toMatchObject({ http: 200, status: "completed" });
    await service.ask(`/v2/agent/threads/${first.id}`, { method: "DELETE" });
    const repeat = await send();
    expect(repeat).toMatchObject({ http: 200, id: first.id });
    expect(repeat.data).toBeUndefined();
    expect((await read(service, `/v2/agent/${first.id}`)).http).toBe(404);
    expect(service.loaded).toEqual([HOME]);
  });

  test("expires with its last run", async () => {
    const service = agentService({ pages: PAGES });
    const first = await ask(service, { prompt: "What does a ticket cost?", urls: [HOME] });
    service.clock.advance(86_400_001);
    const late = await ask(service, { prompt: "Who founded the line?", threadId: first.id });
    expect([late.http, late.code]).toEqual([410, "thread_expired"]);
    expect((await read(service, `/v2/agent/threads/${first.id}`)).http).toBe(410);
  });

  test("has at most 50 turns", async () => {
    const service = agentService({ pages: PAGES });
    const first = await ask(service, { prompt: "What does a ticket cost?", urls: [HOME] });
    for (let turn = 2; turn <= 50; turn++) {
      expect((await ask(service, { prompt: `Price ${turn}?`, threadId: first.id })).threadTurn).toBe(turn);
    }
    const more = await ask(service, { prompt: "Price?", threadId: first.id });
    expect([more.http, more.error]).toEqual([400, "This thread has 50 turns. Start a new one without threadId."]);
  });

  test("keeps schema and addresses for a follow-up that omits them", async () => {
    const service = agentService({ pages: PAGES });
    const schema = { type: "object", properties: { ticketPrice: { type: "string" } } };
    const first = await ask(service, { prompt: "Ticket price", urls: [HOME], schema, strictConstrainToURLs: true });
    await ask(service, { prompt: "And now?", threadId: first.id });
    const { agents } = (await read(service, "/v2/agent")).body;
    expect(agents[0].options).toMatchObject({ prompt: "And now?", urls: [HOME], schema });
  });
});

describe("a thread with a model", () => {
  let server: ScriptedModel;
  beforeAll(async () => {
    server = await startScriptedModel(["ok"]);
  });
  afterAll(() => server.close());

  test("shows the model the earlier questions and answers, and reads remembered pages for no credits", async () => {
    const service = agentService({ pages: PAGES, llm: modelAt(server) });
    server.script([{ toolCalls: [{ name: "read_page", input: { url: HOME } }] }, { text: `It costs £4 (${HOME}).` }]);
    const first = await ask(service, { prompt: "What does a ticket cost?", urls: [HOME] });
    server.script([{ toolCalls: [{ name: "read_page", input: { url: HOME } }] }, { text: `Ida Rook (${HOME}).` }]);
    server.requests.length = 0;
    const second = await ask(service, { prompt: "Who founded it?", threadId: first.id });
    expect(server.requests[0]?.said).toContain("What does a ticket cost?");
    expect(server.requests[0]?.said).toContain("It costs £4");
    expect(server.requests[1]?.said).toContain("Captain Ida Rook founded");
    expect(second).toMatchObject({ creditsUsed: 0, data: { sources: [HOME] } });
    expect(service.loaded).toEqual([HOME]);
  });
});
