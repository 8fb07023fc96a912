import { Firecrawl } from "firecrawl";
import { describe, expect, test } from "vitest";
import { inject } from "../inject.ts";
import { call, fresh, scraped, sitePage } from "../client.ts";

interface AgentStatus {
  status: string;
  data?: { result?: string; sources?: string[] };
  creditsUsed?: number;
  error?: string;
  model?: string;
  warning?: string;
}

const client = (): Firecrawl => new Firecrawl({ apiKey: inject("apiKey"), apiUrl: inject("serviceUrl") });

// With a model: `extract.test.ts`, whose service has one.
describe("the agent without a model, with the SDK", () => {
  test("answers with quotes and their sources", async () => {
    const answer = (await client().agent({
      prompt: "Describe the seeds of the seagrass on the flats south of the mole",
      urls: [sitePage("/articles/seagrass")],
      pollInterval: 1,
    })) as AgentStatus;
    expect(answer.status).toBe("completed");
    expect(answer.data?.result).toContain("two hundred thousand");
    expect(answer.data?.sources).toContain(sitePage("/articles/seagrass"));
    expect(answer.model).toBe("rules");
    expect(answer.warning).toContain("no language model is configured");
    const { agents: [{ id = "" } = {}] = [] } = await client().listAgents();
    const { events = [] } = await client().getAgentTrace(id);
    const artifacts = events.flatMap((event) => (event.type === "artifact.updated" ? [event.artifact] : []));
    const [page, result] = [artifacts.find(({ path }) => path === sitePage("/articles/seagrass")), artifacts.at(-1)];
    const contents = [page, result].map((artifact) => client().getAgentSnapshot(id, artifact?.snapshotId ?? ""));
    const [markdown, data] = await Promise.all(contents);
    expect(markdown).toMatchObject({ success: true, id, snapshotId: page?.snapshotId });
    expect(markdown?.snapshot).toContain("two hundred thousand");
    expect(data?.snapshot).toContain("two hundred thousand");
  });

  test("is started, read and cancelled", async () => {
    const started = (await client().startAgent({
      prompt: "What does the slow page say?",
      urls: [sitePage(fresh("/slow?ms=8000"))],
    })) as { id: string; status?: string };
    expect(started.id).toMatch(/^[0-9a-f-]{36}$/);
    const status = (await client().getAgentStatus(started.id)) as AgentStatus;
    expect(status.status).toBe("processing");
    expect(await client().cancelAgent(started.id)).toBe(true);
    expect(((await client().getAgentStatus(started.id)) as AgentStatus).status).toBe("cancelled");
    const again = await call(`/v2/agent/${started.id}`, { method: "DELETE" });
    expect([again.status, again.body.error]).toEqual([409, "Agent is already cancelled"]);
    const trace = await client().getAgentTrace(started.id);
    expect(trace.events?.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["run.started", "tool_call.started", "run.cancel_requested", "run.finished"]),
    );
    const missing = await call(`/v2/agent/${started.id}/snapshots/result`);
    expect([missing.status, missing.body.error]).toEqual([404, "Agent snapshot not found"]);
    const { agents = [] } = await client().listAgents();
    expect(agents.find(({ id }) => id === started.id)).toMatchObject({ status: "cancelled" });
    const asExtract = await call(`/v2/extract/${started.id}`);
    expect(asExtract.status).toBe(200);
  });

  test.each([
    { why: "no prompt", body: {}, status: 400 },
    { why: "an unknown key", body: { prompt: "x", foo: 1 }, status: 400 },
    { why: "a schema that is none", body: { prompt: "x", schema: { type: 5 } }, status: 400 },
  ])("refuses $why", async ({ body, status }) => {
    expect((await call("/v2/agent", { body })).status).toBe(status);
  });

  test("is not found under another id", async () => {
    const { status, body } = await call(`/v2/agent/${crypto.randomUUID()}`);
    expect([status, body.error]).toEqual([404, "Agent job not found"]);
  });

  test("finds what was scraped before by searching", async () => {
    await scraped("/articles/bell-foundry");
    await expect
      .poll(
        async () => {
          const answer = (await client().agent({
            // Words that no other page of the test site has: other files have scraped pages about bells.
            prompt: "Piet Ashgrove recast the fog bell of the outer mole",
            pollInterval: 1,
          })) as AgentStatus;
          return answer.data?.sources;
        },
        { timeout: 30_000, interval: 1_000 },
      )
      .toContain(sitePage("/articles/bell-foundry"));
  }, 40_000);
});

describe("version 1", () => {
  test("researches deeply", async () => {
    await scraped("/articles/seagrass");
    const answer = await client().v1.deepResearch("seagrass seeds", { maxDepth: 2, maxUrls: 3, timeLimit: 60 });
    expect(answer).toMatchObject({ success: true, status: "completed" });
    if (!("data" in answer)) throw new Error("There is no data");
    expect(answer.data.finalAnalysis).toContain("seed");
    expect(answer.data.activities.map(({ type }) => type)).toEqual(expect.arrayContaining(["search", "scrape"]));
    expect(answer.data.sources.length).toBeGreaterThan(0);
  });

  test("describes a site in llms.txt", async () => {
    const answer = await client().v1.generateLLMsText(sitePage("/"), { maxUrls: 6, showFullText: true });
    if (!("data" in answer)) throw new Error("There is no data");
    expect(answer.data.llmstxt).toMatch(/^# .+\n\n(?:> .+\n\n)?## /);
    expect(answer.data.llmstxt.match(/^- \[/gm)?.length).toBe(6);
    expect(answer.data.llmsfulltxt).toContain("Source: ");
  });

  test.each(["/v1/llmstxt", "/v1/deep-research"])(
    "%s is deprecated, and says so when it finds nothing too",
    async (path) => {
      const { status, headers, body } = await call(`${path}/${crypto.randomUUID()}`);
      expect(status).toBe(404);
      expect(headers.get("Deprecation")).toBe("true");
      expect(body).toMatchObject({ warnings: [expect.any(String)] });
    },
  );
});
