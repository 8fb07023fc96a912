import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Firecrawl } from "firecrawl";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { combineReceipts, NO_RECEIPT, Receipt } from "../../../src/core/account/receipt.ts";
import { inject } from "../inject.ts";
import { call, sitePage } from "../client.ts";
import { makeKey } from "./make-key.ts";

const CLI = `${import.meta.dirname}/../../../node_modules/firecrawl-cli/dist/index.js`;
const run = promisify(execFile);
const PATIENCE = { timeout: 30_000, interval: 200 };

/** A key of a team of its own, so that its sums are those of one test. */
async function newTeam(about: object = {}) {
  const key = await makeKey({ name: "account test", teamId: crypto.randomUUID(), ...about });
  const service = { url: inject("serviceUrl"), key };
  return { key, service, client: new Firecrawl({ apiKey: key, apiUrl: inject("serviceUrl") }) };
}

type Team = Awaited<ReturnType<typeof newTeam>>;

/** The answer's JSON; the cast says what the tests then look at. */
async function ask<Body>(team: Pick<Team, "service">, path: string, body?: unknown): Promise<Body> {
  const { status, text } = await call(path, { service: team.service, ...(body === undefined ? {} : { body }) });
  if (status !== 200) throw new Error(`${status} for ${path}: ${text}`);
  return JSON.parse(text) as Body;
}

interface Sums extends Receipt {
  requests: number;
  errors: number;
  pages: number;
  latencyMs: { p50: number; p95: number } | null;
}
interface Usage {
  data: (Sums & { day?: string; endpoint?: string; key?: { name: string } })[];
  totals: Sums;
}

const receiptPart = (sums: Sums): Receipt => Receipt.parse(sums);

describe("receipts", () => {
  let team: Team;
  const receipts: { endpoint: string; receipt: Receipt }[] = [];
  const note = (endpoint: string, answer: { receipt: unknown }): void => {
    receipts.push({ endpoint, receipt: Receipt.parse(answer.receipt) });
  };

  beforeAll(async () => {
    team = await newTeam();
    for (const page of ["/final", "/articles/seagrass"]) {
      note("scrape", await ask(team, "/v2/scrape", { url: sitePage(page), maxAge: 0 }));
    }
    note("scrape", await ask(team, "/v2/scrape", { url: sitePage("/final"), formats: ["screenshot"], maxAge: 0 }));
    note("scrape", await ask(team, "/v1/scrape", { url: sitePage("/lists") }));
    note("map", await ask(team, "/v2/map", { url: sitePage("/") }));
    const failed = await call("/v2/scrape", { body: { url: "http://no-such-host.invalid/" }, service: team.service });
    note("scrape", JSON.parse(failed.text) as { receipt: unknown });
    const form = new FormData();
    form.set("file", new File(["<h1>Tide table</h1><p>High at noon.</p>"], "tides.html", { type: "text/html" }));
    note("parse", JSON.parse((await call("/v2/parse", { body: form, service: team.service })).text) as never);
    const started = await ask<{ id: string; receipt: unknown }>(team, "/v2/crawl", { url: sitePage("/"), limit: 4 });
    note("crawl", started);
    const statusOf = async (): Promise<string> =>
      (await ask<{ status: string }>(team, `/v2/crawl/${started.id}`)).status;
    await vi.waitUntil(async () => (await statusOf()) === "completed", PATIENCE);
    const usage = async (): Promise<number | undefined> => {
      const { data } = await ask<Usage>(team, "/v2/team/usage?groupBy=endpoint");
      return data.find(({ endpoint }) => endpoint === "crawl")?.pages;
    };
    await vi.waitUntil(async () => (await usage()) === 4, PATIENCE);
    note("crawl", await ask(team, `/v2/crawl/${started.id}`));
  }, 90_000);

  test("add up to what the usage endpoint tells, to the last digit", async () => {
    const { data, totals } = await ask<Usage>(team, "/v2/team/usage?groupBy=endpoint");
    const sum = (endpoint?: string): Receipt =>
      receipts
        .filter((entry) => endpoint === undefined || entry.endpoint === endpoint)
        .reduce((all, { receipt }) => combineReceipts(all, receipt), NO_RECEIPT);
    expect(receiptPart(totals)).toEqual(sum());
    expect(data.map(({ endpoint }) => endpoint)).toEqual(["crawl", "map", "parse", "scrape"]);
    for (const line of data) expect(receiptPart(line)).toEqual(sum(line.endpoint));
    expect(totals).toMatchObject({ requests: 8, errors: 1, pages: 4 + 3 + 1 + 1 + 1 + 0 });
    expect(totals.latencyMs?.p95).toBeGreaterThan(0);
  });

  test("agree by day and by key with the credits that are left and the history", async () => {
    const byDay = await ask<Usage>(team, "/v2/team/usage?groupBy=day,key");
    const { totals } = byDay;
    expect(byDay.data.reduce((sum, line) => combineReceipts(sum, receiptPart(line)), NO_RECEIPT)).toEqual(
      receiptPart(totals),
    );
    expect(byDay.data.every(({ key }) => key?.name === "account test")).toBe(true);
    const { remainingCredits, planCredits } = await team.client.getCreditUsage();
    expect((planCredits ?? 0) - remainingCredits).toBe(totals.credits);
    const { periods } = await team.client.getCreditUsageHistorical();
    expect(periods).toMatchObject([{ creditsUsed: totals.credits }]);
  });

  test("tell where the cost lies", () => {
    const [plain, , browser] = receipts;
    expect(plain?.receipt).toMatchObject({ credits: 1, browserMs: 0, operations: { d1RowsWritten: 0, r2Writes: 0 } });
    expect(plain?.receipt.operations.durableObjectRowsWritten).toBeGreaterThan(0);
    expect(plain?.receipt.bytesFetched).toBeGreaterThan(100);
    expect(browser?.receipt.browserMs).toBeGreaterThan(50);
    expect(browser?.receipt.dollars).toBeGreaterThan(plain?.receipt.dollars ?? 0);
    const failed = receipts[5];
    expect(failed?.receipt.credits).toBe(0);
    const job = receipts.at(-1);
    expect(job?.receipt.credits).toBe(4);
    expect(job?.receipt.operations.durableObjectRowsWritten).toBeGreaterThan(4);
  });

  test("are not written for reading", async () => {
    const { data } = await ask<{ data: { id: string }[] }>(team, "/v2/team/activity?endpoint=scrape");
    const id = data.at(-1)?.id ?? "";
    const answer = await ask<object>(team, `/v2/scrape/${id}`);
    expect(answer).not.toHaveProperty("receipt");
  });
});

describe("the activity of a team", () => {
  interface Activity {
    data: { id: string; endpoint: string; api_version: string; created_at: string; target: string | null }[];
    cursor: string | null;
    has_more: boolean;
  }
  let team: Team;
  beforeAll(async () => {
    team = await newTeam();
    for (const page of ["/final", "/lists", "/tables"]) await ask(team, "/v2/scrape", { url: sitePage(page) });
    await ask(team, "/v1/scrape", { url: sitePage("/final") });
    await ask(team, "/v2/map", { url: sitePage("/"), limit: 3 });
    await team.client.startBatchScrape([sitePage("/final")]);
    await vi.waitUntil(async () => (await list()).data.length === 6, PATIENCE);
  });
  const list = (query = ""): Promise<Activity> => ask<Activity>(team, `/v2/team/activity${query}`);

  test("is listed newest first, with the documented fields", async () => {
    const { data, cursor, has_more } = await list();
    expect({ cursor, has_more }).toEqual({ cursor: null, has_more: false });
    expect(data.map(({ endpoint, api_version }) => `${api_version} ${endpoint}`)).toEqual([
      "v2 batch_scrape",
      "v2 map",
      "v1 scrape",
      "v2 scrape",
      "v2 scrape",
      "v2 scrape",
    ]);
    expect(data[3]).toMatchObject({ target: sitePage("/tables") });
    for (const { created_at } of data) expect(created_at).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
  });

  test("is cut into pages without a gap", async () => {
    const all = (await list()).data.map(({ id }) => id);
    const ids: string[] = [];
    let query = "?limit=2";
    for (;;) {
      const page = await list(query);
      ids.push(...page.data.map(({ id }) => id));
      expect(page.has_more).toBe(page.cursor !== null);
      if (page.cursor === null) break;
      query = `?limit=2&cursor=${page.cursor}`;
    }
    expect(ids).toEqual(all);
  });

  test("can be read back by its ids", async () => {
    const { data } = await list("?endpoint=scrape&limit=nonsense");
    expect(data).toHaveLength(4);
    for (const { id } of data) await ask(team, `/v2/scrape/${id}`);
  });

  test.each([
    { query: "?endpoint=teleport", error: "Invalid endpoint filter" },
    { query: "?outcome=odd", error: "outcome" },
    { query: "?cursor=%21%21", error: "Invalid cursor." },
    { query: `?cursor=${btoa("1:x")}`, error: "Invalid cursor." },
  ])("refuses $query", async ({ query, error }) => {
    const { status, body } = await call(`/v2/team/activity${query}`, { service: team.service });
    expect(status).toBe(400);
    expect(body.error).toContain(error);
  });

  test("is for the team alone, and for all of its keys", async () => {
    expect((await ask<Activity>(await newTeam(), "/v2/team/activity")).data).toEqual([]);
    const teamId = crypto.randomUUID();
    const [one, other] = [await newTeam({ teamId }), await newTeam({ teamId })];
    await ask(one, "/v2/scrape", { url: sitePage("/final") });
    await expect.poll(async () => (await ask<Activity>(other, "/v2/team/activity")).data.length).toBe(1);
  });
});

describe("account methods of the JavaScript SDK", () => {
  let team: Team;
  beforeAll(async () => {
    team = await newTeam({ monthlyCredits: 500, maxConcurrency: 7 });
    await team.client.scrape(sitePage("/final"));
  });

  test("tell credits, tokens, their history, the queue and concurrency", async () => {
    expect(await team.client.getCreditUsage()).toMatchObject({ remainingCredits: 499, planCredits: 500 });
    expect(await team.client.getTokenUsage()).toMatchObject({ remainingTokens: expect.any(Number) });
    await expect
      .poll(async () => (await team.client.getCreditUsageHistorical(true)).periods)
      .toMatchObject([{ creditsUsed: 1, apiKey: "account test", endDate: null }]);
    expect((await team.client.getTokenUsageHistorical()).periods).toMatchObject([{ tokensUsed: 0 }]);
    expect(await team.client.getConcurrency()).toMatchObject({ concurrency: 0, maxConcurrency: 7 });
    expect(await team.client.getQueueStatus()).toMatchObject({
      jobsInQueue: 0,
      activeJobsInQueue: 0,
      waitingJobsInQueue: 0,
      maxConcurrency: 7,
      mostRecentSuccess: expect.stringMatching(/Z$/),
    });
  });

  test("tell the same in the words of version 1", async () => {
    expect(await team.client.v1.getCreditUsage()).toMatchObject({
      data: { remaining_credits: 499, plan_credits: 500 },
    });
    expect(await team.client.v1.getTokenUsage()).toMatchObject({ data: { remaining_tokens: expect.any(Number) } });
    expect(await team.client.v1.getCreditUsageHistorical()).toMatchObject({ periods: [{ creditsUsed: 1 }] });
    expect(await team.client.v1.getTokenUsageHistorical()).toMatchObject({ periods: [{ tokensUsed: 0 }] });
    expect(await ask(team, "/v1/team/queue-status")).toMatchObject({ maxConcurrency: 7 });
    expect(await ask(team, "/v1/concurrency-check")).toMatchObject({ maxConcurrency: 7 });
    expect(await ask(team, "/v1/team/activity")).toMatchObject({ has_more: false });
  });

  test("show a running crawl in the queue", async () => {
    await ask(team, "/v2/crawl", { url: sitePage("/"), limit: 10, delay: 1 });
    await expect.poll(async () => (await team.client.getQueueStatus())["jobsInQueue"]).toBeGreaterThan(0);
    await expect.poll(async () => (await team.client.getConcurrency()).concurrency).toBe(1);
  });
});

describe("usage", () => {
  test.each(["?from=2026-11-21&to=2026-11-20", "?from=2020-01-01", "?groupBy=colour", "?from=yesterday"])(
    "refuses %s",
    async (query) => {
      expect((await call(`/v2/team/usage${query}`)).status).toBe(400);
    },
  );
});

describe("other clients", () => {
  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "orbweaver-cli-"));
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  const cli = (key: string, ...args: string[]) =>
    run(process.execPath, [CLI, ...args], {
      timeout: 30_000,
      env: {
        PATH: process.env["PATH"],
        HOME: home,
        FIRECRAWL_API_URL: inject("serviceUrl"),
        FIRECRAWL_API_KEY: key,
        FIRECRAWL_NO_UPDATE_CHECK: "1",
        FIRECRAWL_NO_TELEMETRY: "1",
      },
    });

  test("the command line shows credits, with a budget and without one", { tags: ["long"] }, async () => {
    const budget = await newTeam({ monthlyCredits: 12_345 });
    expect((await cli(budget.key, "credit-usage")).stdout).toContain("12,345");
    const { stdout } = await cli((await newTeam()).key, "credit-usage", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ data: { remainingCredits: 1_000_000_000_000 } });
  });

  test("the command line shows its status", async () => {
    const team = await newTeam({ monthlyCredits: 12_345, maxConcurrency: 3 });
    const { stdout } = await cli(team.key, "--status");
    expect(stdout).toContain("12,345");
    expect(stdout).toMatch(/\b0\/3\b/);
  });

  test("n8n tests its credential with a body along with GET", async () => {
    const url = `${inject("serviceUrl")}/v2/team/credit-usage`;
    const { key } = await newTeam();
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${key}`,
        accept: "application/json",
        "content-type": "application/json",
      };
      const get = request(url, { method: "GET", headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      get.on("error", reject);
      get.end(JSON.stringify({ integration: "n8n" }));
    });
    expect(status).toBe(200);
  });
});
