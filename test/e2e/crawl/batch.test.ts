import { createHmac } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Firecrawl } from "firecrawl";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inject } from "../inject.ts";
import { call, sitePage } from "../client.ts";
import { WEBHOOK_SECRET } from "../service.ts";

let client: Firecrawl;
beforeAll(() => {
  client = new Firecrawl({ apiKey: inject("apiKey"), apiUrl: inject("serviceUrl") });
});

describe("a batch by the JavaScript SDK", () => {
  test("scrapes each of its pages, and names what is no URL", async () => {
    const urls = [sitePage("/articles/seagrass"), sitePage("/final"), "no url at all"];
    const started = await client.startBatchScrape(urls, { ignoreInvalidURLs: true });
    expect(started.invalidURLs).toEqual(["no url at all"]);
    const job = await client.batchScrape(urls.slice(0, 2), {
      options: { formats: ["markdown", "links"] },
      pollInterval: 1,
    });
    expect(job).toMatchObject({ status: "completed", completed: 2, total: 2, creditsUsed: 2 });
    const seagrass = job.data.find(({ metadata }) => metadata?.sourceURL === urls[0]);
    expect(seagrass?.markdown).toContain("seagrass");
    expect(seagrass?.links?.length).toBeGreaterThan(3);
  });

  test("scrapes the same page as often as it stands there", async () => {
    const job = await client.batchScrape(
      Array.from({ length: 40 }, () => sitePage("/final")),
      { pollInterval: 1 },
    );
    expect(job).toMatchObject({ status: "completed", completed: 40 });
    expect(new Set(job.data.map(({ metadata }) => metadata?.["scrapeId"])).size).toBe(40);
  });

  test(
    "scrapes the pages that failed again when it is retried, and none while it runs",
    { tags: ["long"], timeout: 60_000 },
    async () => {
      const site = createServer((_request, response) => response.end("<title>Back</title><p>The site is back.</p>"));
      await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
      const { port } = site.address() as AddressInfo;
      await new Promise((resolve) => site.close(resolve));
      const { id } = await client.startBatchScrape([`http://127.0.0.1:${port}/`, sitePage("/final")]);
      const retry = async () => {
        const { status, body } = await call(`/v2/batch/scrape/${id}/retry`, { method: "POST" });
        return { status, ...body };
      };
      expect(await retry()).toMatchObject({ status: 409, code: "JOB_RUNNING" });
      expect(await ended(id)).toMatchObject({ status: "completed", completed: 1, total: 1 });
      const again = createServer((_request, response) => response.end("<title>Back</title><p>The site is back.</p>"));
      await new Promise<void>((resolve) => again.listen(port, "127.0.0.1", resolve));
      try {
        expect(await retry()).toMatchObject({ status: 200, id, retried: 1, failed: 1 });
        const job = await ended(id);
        expect(job).toMatchObject({ status: "completed", completed: 2, total: 2, creditsUsed: 2 });
        expect(JSON.stringify(job)).toContain("The site is back.");
        expect(await client.getBatchScrapeErrors(id)).toMatchObject({ errors: [] });
        expect(await retry()).toMatchObject({ status: 200, retried: 0, failed: 0 });
      } finally {
        await new Promise((resolve) => again.close(resolve));
      }
    },
  );

  test("takes more pages after its end, and lists what failed", async () => {
    const { id } = await client.startBatchScrape([sitePage("/final")]);
    await ended(id);
    const more = await client.startBatchScrape(["http://no-such-host.invalid/", sitePage("/lists")], {
      appendToId: id,
    });
    expect(more.id).toBe(id);
    const job = await ended(id);
    expect(job).toMatchObject({ status: "completed", completed: 2, total: 2 });
    const { errors } = await client.getBatchScrapeErrors(id);
    expect(errors).toMatchObject([{ url: "http://no-such-host.invalid/", code: "SCRAPE_DNS_RESOLUTION_ERROR" }]);
  });

  test("is told page by page to who watches", { tags: ["long"] }, async () => {
    const { id } = await client.startBatchScrape([sitePage("/final"), sitePage("/lists"), sitePage("/tables")]);
    const watcher = client.watcher(id, { kind: "batch", pollInterval: 1 });
    let documents = 0;
    watcher.on("document", () => documents++);
    const done = new Promise<void>((resolve) => watcher.on("done", () => resolve()));
    await watcher.start();
    await done;
    expect(documents).toBe(3);
  });

  test.each([
    { why: "no URL", body: { urls: [] }, status: 400 },
    { why: "only bad URLs", body: { urls: ["nope"] }, status: 400 },
    {
      why: "a batch that does not exist",
      body: { urls: ["https://example.com"], appendToId: crypto.randomUUID() },
      status: 404,
    },
    {
      why: "a header that only the service may send",
      body: {
        urls: ["https://example.com"],
        webhook: { url: "https://example.com", headers: { "X-Firecrawl-Signature": "x" } },
      },
      status: 400,
    },
  ])("is refused for $why", async ({ body, status }) => {
    expect((await call("/v2/batch/scrape", { body })).status).toBe(status);
  });
});

describe("version 1 of the JavaScript SDK", () => {
  test("crawls, and reads what failed", async () => {
    const job = await client.v1.crawlUrl(sitePage("/tree/"), { limit: 4, ignoreSitemap: true });
    expect(job).toMatchObject({ success: true, status: "completed", completed: 4 });
    const { id } = (await client.v1.asyncCrawlUrl(sitePage("/private/ledger"), { limit: 2, ignoreSitemap: true })) as {
      id: string;
    };
    await ended(id, "/v1/crawl");
    expect(await client.v1.checkCrawlErrors(id)).toMatchObject({
      errors: [],
      robotsBlocked: [sitePage("/private/ledger")],
    });
  });

  test("scrapes a batch, which it polls where crawls are", async () => {
    const job = await client.v1.batchScrapeUrls([sitePage("/final"), sitePage("/lists")], { formats: ["markdown"] });
    expect(job).toMatchObject({ success: true, status: "completed", completed: 2 });
  });

  test("watches a crawl to its end, once", { tags: ["long"] }, async () => {
    const watch = await client.v1.crawlUrlAndWatch(sitePage("/tree/"), { limit: 6, ignoreSitemap: true });
    let documents = 0;
    let ends = 0;
    watch.addEventListener("document", () => void documents++);
    await new Promise<void>((resolve) => watch.addEventListener("done", () => void (ends++, setTimeout(resolve, 500))));
    expect({ documents, ends }).toEqual({ documents: 6, ends: 1 });
  });
});

describe("webhooks", () => {
  let receiver: Server;
  let url: string;
  const received: { raw: string; headers: Record<string, unknown>; body: Delivery }[] = [];
  interface Delivery {
    type: string;
    id: string;
    webhookId: string;
    data: { metadata: { scrapeId: string } }[];
    metadata: unknown;
  }
  beforeAll(async () => {
    receiver = createServer((request, response) => {
      let raw = "";
      request.on("data", (chunk: Buffer) => (raw += chunk.toString()));
      request.on("end", () => {
        received.push({ raw, headers: request.headers, body: JSON.parse(raw) as Delivery });
        response.end("ok");
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  });
  afterAll(() => receiver.close());

  test("tell of the start, of each page once, and of the end, signed over the bytes that were sent", async () => {
    const body = {
      url: sitePage("/tree/"),
      limit: 12,
      sitemap: "skip",
      webhook: { url, headers: { "x-own": "1" }, metadata: { order: "7" } },
    };
    const { text } = await call("/v2/crawl", { body });
    const { id } = JSON.parse(text) as { id: string };
    await until(() => received.some(({ body: { type } }) => type === "crawl.completed"));
    const types = received.map(({ body: { type } }) => type);
    expect(types[0]).toBe("crawl.started");
    expect(types.at(-1)).toBe("crawl.completed");
    const pages = received.filter(({ body: { type } }) => type === "crawl.page");
    const status = JSON.parse((await call(`/v2/crawl/${id}`)).text) as Delivery;
    expect(pages.map(({ body: { data } }) => data[0]?.metadata.scrapeId).toSorted()).toEqual(
      status.data.map(({ metadata }) => metadata.scrapeId).toSorted(),
    );
    expect(new Set(received.map(({ body: { webhookId } }) => webhookId)).size).toBe(14);
    for (const { raw, headers, body: delivery } of received) {
      const digest = createHmac("sha256", WEBHOOK_SECRET).update(raw).digest("hex");
      expect(headers["x-firecrawl-signature"]).toBe(`sha256=${digest}`);
      const timestamp = Number(headers["webhook-timestamp"]);
      expect(Math.abs(Date.now() / 1000 - timestamp)).toBeLessThan(300);
      const said = `${delivery.webhookId}.${timestamp}.${raw}`;
      const signed = createHmac("sha256", WEBHOOK_SECRET).update(said).digest("base64");
      expect(headers).toMatchObject({ "webhook-id": delivery.webhookId, "webhook-signature": `v1,${signed}` });
      expect(headers["x-own"]).toBe("1");
      expect(delivery).toMatchObject({ id, success: true, metadata: { order: "7" } });
    }
  });

  test("tell only what was asked for", async () => {
    received.length = 0;
    const body = { urls: [sitePage("/final")], webhook: { url, events: ["completed"] } };
    await call("/v2/batch/scrape", { body });
    await until(() => received.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(received.map(({ body: { type } }) => type)).toEqual(["batch_scrape.completed"]);
  });
});

async function until(isTrue: () => boolean, withinMs = 30_000): Promise<void> {
  const endsAtMs = Date.now() + withinMs;
  while (!isTrue()) {
    if (Date.now() > endsAtMs) throw new Error("It did not come true");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function ended(id: string, place = "/v2/batch/scrape"): Promise<Record<string, unknown>> {
  for (let tries = 0; tries < 200; tries++) {
    const job = JSON.parse((await call(`${place}/${id}`)).text) as { status: string };
    if (job.status !== "scraping") return job;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error("The job goes on");
}
