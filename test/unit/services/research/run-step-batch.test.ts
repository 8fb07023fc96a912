import { describe, expect, test } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import type { EventContent } from "../../../../src/ports/crawl/frontier.ts";
import type { LanguageModel } from "../../../../src/ports/language-model.ts";
import { readPlace } from "../../../../src/services/jobs/read-place.ts";
import { agentService } from "../../../fakes/services/agent-service.ts";

const HOME = "https://ferry.example/";
const PAGES = { [HOME]: "<main><h1>Ferry</h1><p>On Sundays the ferry sails at ten.</p></main>" };
const unavailable = (): Promise<never> =>
  Promise.reject(new AppError("SERVICE_UNAVAILABLE", undefined, { cause: new Error("The object has moved") }));

type Service = ReturnType<typeof agentService>;

/** Asks an agent. @returns its response, and the credits that the key has paid */
async function ask({ post, deps }: Service): Promise<{ run: Record<string, unknown>; charged: number }> {
  const response = await post("/v2/agent", { prompt: "When does the ferry sail on Sundays?", urls: [HOME] });
  const run = (await response.json()) as Record<string, unknown>;
  const job = await deps.jobs.find(String(run["id"]));
  return { run, charged: (await deps.keyLedger.usage(job?.keyId ?? "")).creditsUsed };
}

/** Replaces a method by one that fails at some of its calls, as long as a job runs. */
function failAt<Name extends string>(port: Record<Name, unknown>, name: Name, calls: readonly number[]): () => number {
  const method = (port[name] as (...args: unknown[]) => Promise<unknown>).bind(port);
  let count = 0;
  port[name] = async (...args: unknown[]) => (calls.includes(++count) ? await unavailable() : await method(...args));
  return () => count;
}

describe("a job of steps goes on with the next run when the service does not answer", () => {
  test.each([1, 2])("to the %d. report to the ledger of its key", async (call) => {
    const plain = await ask(agentService({ pages: PAGES }));
    const service = agentService({ pages: PAGES });
    const calls = failAt(service.deps.keyLedger, "chargeJob", [call]);
    const { run, charged } = await ask(service);
    expect(calls()).toBeGreaterThanOrEqual(call);
    expect(run).toMatchObject({ status: "completed", data: plain.run["data"] });
    expect(charged).toBe(plain.charged);
  });

  test.each(["begin", "finish", "end"] as const)("to the call “%s” of its object", async (name) => {
    const service = agentService({ pages: PAGES });
    failAt(service.deps.stepJobs, name, [1]);
    expect((await ask(service)).run).toMatchObject({ status: "completed" });
  });
});

test.each([
  { failures: [1], end: { status: "completed" }, cancelled: 0 },
  { failures: [1, 2, 3, 4], end: { success: false, code: "SERVICE_UNAVAILABLE" }, cancelled: 1 },
])("a job whose record cannot be inserted ends as $end: $failures failures", async ({ failures, end, cancelled }) => {
  const service = agentService({ pages: PAGES });
  failAt(service.deps.jobs, "insert", failures);
  let cancels = 0;
  const cancel = service.deps.stepJobs.cancel.bind(service.deps.stepJobs);
  service.deps.stepJobs.cancel = async (id) => (cancels++, await cancel(id));
  const asked = { prompt: "When does the ferry sail on Sundays?", urls: [HOME] };
  expect(await (await service.post("/v2/agent", asked)).json()).toMatchObject(end);
  expect(cancels).toBe(cancelled);
});

test("data that are too large for a row are sent to the webhook from an object", async () => {
  const text = "The ferry sails. ".repeat(30_000);
  const step = async () => ({ text, toolCalls: [], usage: { inputTokens: 0, outputTokens: 0 } });
  const llm = { names: { large: "m", small: "m" }, contextTokens: 50_000, step } as unknown as LanguageModel;
  const service = agentService({ pages: PAGES, llm });
  const { stepJobs, blobs } = service.deps;
  stepJobs.takeEvents = async () => [];
  const contents: EventContent[] = [];
  const end = stepJobs.end.bind(stepJobs);
  stepJobs.end = async (id, ending) => {
    if (ending.event !== undefined) contents.push(ending.event.content);
    await end(id, ending);
  };
  const asked = { prompt: "Tell me about the ferry", urls: [HOME] };
  await service.post("/v2/agent", { ...asked, webhook: { url: "https://receiver.example/hook" } });
  await service.post("/v2/agent", asked);
  const [{ document, data } = {}, withoutWebhook] = contents;
  expect(data).toBeUndefined();
  expect(withoutWebhook).toEqual({});
  const sent = document === undefined ? undefined : await readPlace(blobs, document);
  expect(JSON.parse(sent ?? "null")).toMatchObject({ creditsUsed: 0, data: { result: text } });
});
