import { describe, expect, test } from "vitest";
import type { LanguageModel, ModelStep } from "../../../../src/ports/language-model.ts";
import { agentService } from "../../../fakes/services/agent-service.ts";

const HOME = "https://ferry.example/";
const LINKS = Array.from({ length: 12 }, (_, index) => `${HOME}ferry-${index + 1}`);
const nav = LINKS.map((url) => `<a href="${url}">ferry</a>`).join(" ");
const pageOf = (text: string): string => `<main><h1>Ferry</h1><p>${text}</p>${nav}</main>`;
const PAGES = Object.fromEntries([HOME, ...LINKS].map((url, index) => [url, pageOf(`The ferry has deck ${index}.`)]));
/** Asks for no value, so that everything is read. */
const ABOUT = "Tell me about the ferry";

interface Run {
  id: string;
  status: string;
  stopReason?: string;
  partial?: { result: string };
  partialSchemaValid?: boolean;
  data?: { result: string };
  evidence?: { field: string; value?: string; unverified?: true }[];
  warning?: string;
  creditsUsed: number;
}
type Service = ReturnType<typeof agentService>;

async function run({ post }: Service, body: object): Promise<Run> {
  return (await (await post("/v2/agent", body)).json()) as Run;
}

function modelOf(next: (turn: number) => Promise<Partial<ModelStep>> | Partial<ModelStep>): LanguageModel {
  let turn = 0;
  return {
    names: { large: "scripted", small: "scripted" },
    contextTokens: 50_000,
    step: async () => ({
      text: "",
      toolCalls: [],
      usage: { inputTokens: 0, outputTokens: 0 },
      ...(await next(turn++)),
    }),
    generateText: () => Promise.reject(new Error("not used")),
    generateObject: () => Promise.reject(new Error("not used")),
  };
}

const reads = (url: string) => ({ toolCalls: [{ id: url, toolName: "read_page", input: { url } }] });

describe("the end of a run", () => {
  test.each([
    { effort: "low", pages: 4 },
    { effort: "medium", pages: 12 },
  ])("effort $effort reads $pages pages at most", async ({ effort, pages }) => {
    const service = agentService({ pages: PAGES });
    const { creditsUsed, status } = await run(service, { prompt: ABOUT, urls: [HOME], effort });
    expect(status).toBe("completed");
    expect(service.loaded).toHaveLength(pages);
    expect(creditsUsed).toBeGreaterThanOrEqual(pages);
  });

  test("is max_pages when nothing was found in as many pages as the effort allows, with what there is", async () => {
    const service = agentService({ pages: PAGES });
    const answer = await run(service, { prompt: "Who is the captain?", urls: [HOME], effort: "low" });
    expect(service.loaded).toHaveLength(4);
    expect(answer.stopReason).toBe("max_pages");
    expect(answer.partial).toEqual(answer.data);
    expect(answer.partialSchemaValid).toBeUndefined();
  });

  test("is not_found when everything was read and no page states the value", async () => {
    const service = agentService({ pages: { [HOME]: PAGES[HOME] ?? "" } });
    const body = { prompt: "Who is the captain?", urls: [HOME], strictConstrainToURLs: true };
    const answer = await run(service, body);
    expect(answer).toMatchObject({ status: "completed", stopReason: "not_found" });
    expect(answer.data?.result).toMatch(/^Not found/);
    expect(answer.partial).toBeUndefined();
  });

  test("is max_credits when the budget is used up, with partial and no more spent", async () => {
    const service = agentService({ pages: PAGES });
    const answer = await run(service, { prompt: ABOUT, urls: [HOME], maxCredits: 3 });
    expect(answer).toMatchObject({ status: "completed", stopReason: "max_credits", creditsUsed: 3 });
    expect(answer.partial?.result).toContain("The ferry has deck 0.");
    expect(answer.partial).toEqual(answer.data);
  });

  test("is max_credits with a schema, with partial and its validity", async () => {
    const service = agentService({ pages: PAGES });
    const schema = { type: "object", properties: { captain: { type: "string" } }, required: ["captain"] };
    const answer = await run(service, { prompt: ABOUT, urls: [HOME], maxCredits: 3, schema });
    expect(answer).toMatchObject({ stopReason: "max_credits", partialSchemaValid: false });
    expect(answer.partial).toEqual(answer.data);
  });

  test("is max_steps when a model does not end, with the last text as partial and its value marked", async () => {
    const llm = modelOf(() => ({ text: "A ticket costs £99.", ...reads(HOME) }));
    const service = agentService({ pages: PAGES, llm });
    const answer = await run(service, {
      prompt: "What does a ticket cost?",
      urls: [HOME],
      effort: "low",
      evidence: true,
    });
    expect(answer).toMatchObject({ stopReason: "max_steps", partial: { result: "A ticket costs £99." } });
    expect(answer.evidence).toMatchObject([{ value: "£99", unverified: true }]);
    expect(answer.warning).toContain("“£99”");
    expect(service.loaded).toEqual([HOME]);
  });

  test("is cancelled when the run is cancelled, and the partial text of the model is marked", async () => {
    const service: Service = agentService({
      pages: PAGES,
      llm: modelOf(async (turn) => {
        if (turn === 0) return { text: "A ticket costs £99.", ...reads(HOME) };
        if (turn > 1) throw new Error("The run goes on after it was cancelled");
        const { agents } = (await (await service.ask("/v2/agent")).json()) as { agents: { id: string }[] };
        const response = await service.ask(`/v2/agent/${agents[0]?.id}`, { method: "DELETE" });
        expect(response.status).toBe(200);
        return reads(LINKS[0] ?? "");
      }),
    });
    const { id } = await run(service, { prompt: "What does a ticket cost?", urls: [HOME], evidence: true });
    const answer = (await (await service.ask(`/v2/agent/${id}`)).json()) as Run;
    expect(answer).toMatchObject({ status: "cancelled", stopReason: "cancelled" });
    expect(service.loaded).toEqual([HOME]);
    expect(answer.data).toBeUndefined();
    expect(answer.partial?.result).toBe("A ticket costs £99.");
    expect(answer.evidence).toMatchObject([{ value: "£99", unverified: true }]);
    expect(answer.warning).toContain("“£99”");
  });

  test("shows the warning of unverified values in the thread too, and fields of mode chat", async () => {
    const service = agentService({ pages: PAGES, llm: modelOf(() => ({ text: "A ticket costs £99." })) });
    const answer = await run(service, { prompt: "What does a ticket cost?", mode: "chat", evidence: true });
    expect(answer.evidence).toMatchObject([{ field: "message", value: "£99", unverified: true }]);
    expect(answer.warning).toContain("“£99”");
    const { thread } = (await (await service.ask(`/v2/agent/threads/${answer.id}`)).json()) as {
      thread: { runs: object[] };
    };
    expect(thread.runs).toMatchObject([{ message: "A ticket costs £99.", warning: answer.warning }]);
  });
});
