import { createHmac } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { rm } from "node:fs/promises";
import { Firecrawl } from "firecrawl";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeOwnedFolder } from "../../../src/tools/process/run-leftovers.ts";
import { makeKey } from "../../../src/tools/setup/kept-keys.ts";
import { startScriptedModel, type ScriptedModel } from "../../fakes/upstream/scripted-model.ts";
import { inject } from "../inject.ts";
import { call, sitePage } from "../client.ts";
import { startService, type TestService } from "../service.ts";

const PRODUCT = {
  type: "object",
  properties: { name: { type: "string" }, price: { type: "number" }, url: { type: "string" } },
};
const PRODUCTS = { type: "object", properties: { products: { type: "array", items: PRODUCT } } };
const NAMED = {
  type: "object",
  properties: { name: { type: "string" }, price: { type: "number" } },
  required: ["name"],
};

/** At once on one budget; each takes a third of a second of processor time. */
const AGENTS = Number(process.env["AGENTS"] ?? 10);
/** In credits: less than the agents would take. */
const BUDGET = 10;

interface AgentStatus {
  status: string;
  data?: { result?: string; sources?: string[] };
  creditsUsed?: number;
  model?: string;
}

interface Extract {
  success: boolean;
  id: string;
  status: string;
  data: Record<string, unknown>;
  error?: string;
  warning?: string;
  sources?: Record<string, string[]>;
  evidence?: { field: string; quote?: string; url: string; unverified?: true }[];
  creditsUsed: number;
  tokensUsed: number;
  warnings: string[];
  replacement: string;
  invalidURLs?: string[];
}

async function read(path: string, options: Parameters<typeof call>[1] = {}): Promise<Extract> {
  return JSON.parse((await call(path, options)).text) as Extract;
}

async function extracted(
  body: object,
  { version = "v2", service }: { version?: string; service?: TestService } = {},
): Promise<Extract> {
  const options = service === undefined ? {} : { service };
  const { id, error } = await read(`/${version}/extract`, { body, ...options });
  expect(error).toBeUndefined();
  return await ended(`/${version}/extract/${id}`, options);
}

async function ended(path: string, options: Parameters<typeof call>[1] = {}): Promise<Extract> {
  const endsAtMs = Date.now() + 60_000;
  for (;;) {
    const answer = await read(path, options);
    if (answer.status !== "processing") return answer;
    if (Date.now() > endsAtMs) throw new Error("It goes on");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

describe("an extract without a model", () => {
  test("fills a schema from a page, with its sources", async () => {
    const body = { urls: [sitePage("/shop/storm-lantern")], schema: NAMED, showSources: true, evidence: true };
    const answer = await extracted(body);
    expect(answer).toMatchObject({
      success: true,
      status: "completed",
      data: { name: "Storm lantern", price: expect.any(Number) },
      sources: { name: [sitePage("/shop/storm-lantern")] },
      creditsUsed: 5,
      tokensUsed: 0,
      warning: expect.stringContaining("no language model is configured"),
    });
    expect(answer.evidence?.map(({ field }) => field)).toEqual(["name", "price"]);
  });

  test("finds the pages of a site, and joins their lists without repetitions", { tags: ["long"] }, async () => {
    const urls = [`${sitePage("/shop")}/*`, sitePage("/shop?all=1"), sitePage("/shop?page=1")];
    const { data, status } = await extracted({ urls, schema: PRODUCTS, limit: 6 });
    const products = data["products"] as { name: string; url?: string }[];
    expect(status).toBe("completed");
    expect(products.length).toBeGreaterThan(10);
    expect(new Set(products.map(({ url, name }) => url ?? name)).size).toBe(products.length);
  });

  test("keeps the values of different things apart", async () => {
    const urls = [sitePage("/shop/storm-lantern"), sitePage("/shop/hand-lead")];
    const { data, warning, evidence } = await extracted({ urls, schema: NAMED });
    expect(data["name"]).toBe("Storm lantern");
    expect(evidence).toBeUndefined();
    expect(warning).toContain("is about another subject");
  });

  test("fails in words when no page can be read", async () => {
    const answer = await extracted({ urls: ["http://no-such-host.invalid/"], schema: NAMED });
    expect(answer).toMatchObject({ success: false, status: "failed", creditsUsed: 0 });
    expect(answer.error).toContain("no-such-host.invalid");
  });

  test("says that it is deprecated, in headers and body, on errors too", async () => {
    for (const path of ["/v2/extract/", "/v1/extract/"]) {
      const { status, headers, text } = await call(`${path}${crypto.randomUUID()}`);
      expect(status).toBe(404);
      expect(headers.get("deprecation")).toBe("true");
      expect(headers.get("warning")).toMatch(/^299 - "/);
      expect(headers.get("link")).toBe('</v2/scrape>; rel="successor-version"');
      expect(JSON.parse(text)).toMatchObject({
        success: false,
        error: "Extract job not found",
        warnings: [expect.any(String)],
        replacement: "/v2/scrape",
      });
    }
    expect((await call("/v2/team/queue-status")).headers.get("deprecation")).toBeNull();
  });

  test.each([
    { why: "neither urls nor prompt", body: { urls: [] }, message: "Either 'urls' or 'prompt' must be provided" },
    { why: "too many urls", body: { urls: Array.from({ length: 11 }, () => "https://a.example") } },
    { why: "an unknown key", body: { prompt: "x", shema: {} }, message: "Unrecognized key in body" },
    { why: "nothing but bad urls", body: { urls: ["no url"] }, message: "No valid URLs provided" },
  ])("refuses $why", async ({ body, message = "" }) => {
    const { status, text } = await call("/v2/extract", { body });
    expect(status).toBe(400);
    expect(text).toContain(message);
  });

  test("leaves bad urls out in version 2, and refuses them in version 1", async () => {
    const body = { urls: [sitePage("/shop/hand-lead"), "http://http://x"], schema: NAMED };
    const started = await read("/v2/extract", { body });
    expect(started).toMatchObject({ success: true, invalidURLs: ["http://http://x"] });
    expect((await call("/v1/extract", { body })).status).toBe(400);
  });

  test("is cancelled once", async () => {
    const { id } = await read("/v2/extract", { body: { urls: [sitePage("/slow?ms=20001&extract")], schema: NAMED } });
    expect((await call(`/v2/extract/${id}`, { method: "DELETE" })).status).toBe(200);
    expect(await read(`/v2/extract/${id}`)).toMatchObject({ success: true, status: "cancelled", data: [] });
    expect((await call(`/v2/extract/${id}`, { method: "DELETE" })).status).toBe(409);
  });
});

describe("the JavaScript SDK", () => {
  const client = () => new Firecrawl({ apiKey: inject("apiKey"), apiUrl: inject("serviceUrl") });

  test("extracts, starts and reads extracts", async () => {
    const urls = [sitePage("/shop/storm-lantern")];
    const done = await client().extract({ urls, schema: NAMED, pollInterval: 1 });
    expect(done).toMatchObject({ success: true, status: "completed", data: { name: "Storm lantern" } });
    const { id = "" } = await client().startExtract({ urls, prompt: "The name and the price" });
    expect((await ended(`/v2/extract/${id}`)).data).toMatchObject({ name: "Storm lantern" });
    expect(await client().getExtractStatus(id)).toMatchObject({ status: "completed" });
  });

  test("extracts with version 1", async () => {
    // The client's types want a zod schema, and take JSON Schema as well.
    const answer = await client().v1.extract([sitePage("/shop/hand-lead")], { schema: NAMED } as object);
    expect(answer).toMatchObject({ success: true, data: { name: "Hand lead, 3 kg", price: 36 } });
  });
});

// Without a service of their own: test/unit/formats/json.test.ts, and test/unit/http/v2/agent-runs.test.ts for agents.
describe("an extract with a model", { tags: ["long"] }, () => {
  let model: ScriptedModel;
  let persist: string;
  let settings: Record<string, string>;
  let service: TestService;
  let receiver: Server;
  const events: { type: string; body: string; signature: string }[] = [];
  beforeAll(async () => {
    model = await startScriptedModel(["{}"]);
    receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const body = Buffer.concat(chunks).toString();
        events.push({ type: JSON.parse(body).type, body, signature: String(request.headers["x-firecrawl-signature"]) });
        response.end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    persist = makeOwnedFolder("extract");
    const modelSettings = { LLM_BASE_URL: model.url, LLM_MODEL: "scripted", LLM_API_KEY: "sk-secret" };
    settings = { API_KEY: makeKey(), ADMIN_KEY: makeKey(), WEBHOOK_SECRET: "hush", ...modelSettings };
    service = await startService({ persist, settings });
  });
  afterAll(async () => {
    await service.stop();
    await model.close();
    receiver.close();
    await rm(persist, { recursive: true, force: true, maxRetries: 3 });
  });

  test("asks it, checks its quotes, counts its tokens and tells the webhook", async () => {
    model.script(({ said }) => {
      if (said.includes("Write the schema")) return { json: { schema: NAMED } };
      return {
        json: {
          data: { name: "Storm lantern", price: 1 },
          evidence: [
            { field: "name", quote: "Storm lantern" },
            { field: "price", quote: "it is nearly free" },
          ],
        },
      };
    });
    const { port } = receiver.address() as AddressInfo;
    const body = {
      urls: [sitePage("/shop/storm-lantern")],
      prompt: "What is it, and what does it cost?",
      evidence: true,
      webhook: { url: `http://127.0.0.1:${port}/`, metadata: { mine: "yes" } },
    };
    const answer = await extracted(body, { service });
    expect(answer).toMatchObject({ status: "completed", data: { name: "Storm lantern", price: 1 }, tokensUsed: 240 });
    expect(answer.evidence).toMatchObject([
      { field: "name", quote: "Storm lantern" },
      { field: "price", unverified: true },
    ]);
    expect(answer.evidence?.[1]?.quote).toBeUndefined();
    expect(model.requests.every(({ authorization }) => authorization === "Bearer sk-secret")).toBe(true);
    await expect
      .poll(() => events.map(({ type }) => type), { timeout: 10_000 })
      .toEqual(["extract.started", "extract.completed"]);
    const last = events[1];
    expect(JSON.parse(last?.body ?? "{}")).toMatchObject({
      success: true,
      metadata: { mine: "yes" },
      data: [{ data: { name: "Storm lantern" } }],
    });
    expect(last?.signature).toBe(
      `sha256=${createHmac("sha256", "hush")
        .update(last?.body ?? "")
        .digest("hex")}`,
    );
  });

  test("does a step once, also when the service crashes in between", { timeout: 300_000 }, async () => {
    let isSlow = true;
    model.requests.length = 0;
    model.script(({ said }) => {
      const name = /Hand lead/.test(said) ? "Hand lead" : "Storm lantern";
      const answer = { json: { data: { items: [name] }, evidence: [] } };
      return name === "Hand lead" && isSlow ? { ...answer, delayMs: 60_000 } : answer;
    });
    const schema = { type: "object", properties: { items: { type: "array", items: { type: "string" } } } };
    const body = { urls: [sitePage("/shop/storm-lantern"), sitePage("/shop/hand-lead")], schema };
    const { id } = await read("/v2/extract", { body, service });
    await expect.poll(() => model.requests.length, { timeout: 20_000 }).toBe(2);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await service.kill();
    isSlow = false;
    service = await startService({ persist, settings });
    const answer = await ended(`/v2/extract/${id}`, { service });
    expect(answer).toMatchObject({ status: "completed", data: { items: ["Storm lantern", "Hand lead"] } });
    expect(answer.creditsUsed).toBe(10);
    const asked = model.requests.map(({ said }) => /kind="page" url="[^"]*\/([\w-]+)"/.exec(said)?.[1]);
    expect(asked.filter((slug) => slug === "storm-lantern")).toHaveLength(1);
  });

  describe("and the agent, with its service,", () => {
    beforeAll(() => {
      const page = sitePage("/articles/seagrass");
      model.script((request) => {
        const hasRead = request.said.includes("seagrass seed is the size");
        return hasRead
          ? { text: `Two hundred thousand (${page}).` }
          : { toolCalls: [{ name: "read_page", input: { url: page, about: "seeds" } }] };
      });
    });

    test("reads by its tools, and answers with sources", async () => {
      const own = new Firecrawl({ apiKey: service.key, apiUrl: service.url });
      const url = sitePage("/articles/seagrass");
      const answer = (await own.agent({ prompt: "How many seeds?", urls: [url], pollInterval: 1 })) as AgentStatus;
      expect(answer).toMatchObject({ status: "completed", model: "scripted", data: { sources: [url] } });
      expect(answer.data?.result).toContain("Two hundred thousand");
    });

    test(`${AGENTS} at once on a small budget never spend a credit more`, async () => {
      const made = await call("/v2/team/keys", {
        body: { name: "poor", teamId: crypto.randomUUID(), monthlyCredits: BUDGET },
        service: { url: service.url, key: service.adminKey },
      });
      const { key } = (made.body as unknown as { data: { key: string } }).data;
      const poor = { url: service.url, key };
      const starts = await Promise.all(
        Array.from({ length: AGENTS }, async (_, number) => {
          const body = { prompt: `Seeds ${number}?`, urls: [sitePage(`/articles/seagrass?copy=${number}`)] };
          return await call("/v2/agent", { body, service: poor });
        }),
      );
      const ids = starts.flatMap(({ body }) => (body as unknown as { id?: string }).id ?? []);
      expect(ids.length).toBeGreaterThan(0);
      const ended = new Map<string, number>();
      const readAll = async (): Promise<number> => {
        const open = ids.filter((id) => !ended.has(id));
        const answers = await Promise.all(open.map((id) => call(`/v2/agent/${id}`, { service: poor })));
        for (const [index, { text }] of answers.entries()) {
          const { status, creditsUsed } = JSON.parse(text) as AgentStatus;
          if (status !== "processing") ended.set(open[index] ?? "", creditsUsed ?? 0);
        }
        return ended.size;
      };
      await expect.poll(readAll, { timeout: 200_000, interval: 1_000 }).toBe(ids.length);
      const spent = [...ended.values()].reduce((sum, credits) => sum + credits, 0);
      expect(spent).toBeLessThanOrEqual(BUDGET);
      const usage = JSON.parse((await call("/v2/team/credit-usage", { service: poor })).text);
      expect(usage.data.remainingCredits).toBe(BUDGET - spent);
    }, 240_000);
  });
});
