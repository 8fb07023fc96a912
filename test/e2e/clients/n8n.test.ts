import { describe, expect, test } from "vitest";
import { callWithBody, sitePage } from "../client.ts";
import { N8N_SCRAPE_OPTIONS } from "./n8n-options.ts";
import { shortAndLong } from "../../sample.ts";

const N8N = { integration: "n8n" };

interface Answer {
  success: boolean;
  id: string;
  status: string;
  completed: number;
  data: { markdown: string }[];
  links: { url: string }[];
  errors: unknown[];
  crawls: { id: string }[];
}

/** One request as n8n's node makes it, with a body whatever the method is. */
async function ask(method: string, path: string, body: object = {}): Promise<Answer> {
  const { status, text } = await callWithBody(method, `/v2${path}`, { ...body, ...N8N });
  expect(status, text).toBe(200);
  return JSON.parse(text) as Answer;
}

async function ended(path: string): Promise<Answer> {
  for (;;) {
    const job = await ask("GET", path);
    if (job.status !== "scraping") return job;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

describe("n8n's node", () => {
  test("maps a site", { tags: ["long"] }, async () => {
    const { links } = await ask("POST", "/map", {
      url: sitePage("/"),
      sitemap: "include",
      includeSubdomains: false,
      limit: 5_000,
      timeout: 10_000,
    });
    expect(links.map(({ url }) => url)).toContain(sitePage("/articles/seagrass"));
  });

  for (const { tags, entries } of shortAndLong(
    [
      { why: "with every option at its default", more: {} },
      { why: "with version 1's word for leaving out the sitemap", more: { ignoreSitemap: true } },
      { why: "with a delay in seconds", more: { delay: 0.05 } },
    ],
    (_, index) => index === 0,
  ))
    test.each(entries)("crawls $why", { tags }, async ({ more }) => {
      const { id } = await ask("POST", "/crawl", {
        url: sitePage("/tree/"),
        prompt: "",
        excludePaths: ["blog/*"],
        includePaths: [],
        limit: 3,
        maxConcurrency: 100,
        scrapeOptions: N8N_SCRAPE_OPTIONS,
        ...more,
      });
      const job = await ended(`/crawl/${id}`);
      expect(job).toMatchObject({ success: true, status: "completed", completed: 3 });
      expect(job.data[0]?.markdown).toContain("keeper");
      expect((await ask("GET", `/crawl/${id}/errors`)).errors).toEqual([]);
    });

  test("lists and cancels crawls, and shows what a prompt comes to", async () => {
    const url = sitePage("/tree/");
    const { id } = await ask("POST", "/crawl", {
      url,
      prompt: "",
      limit: 500,
      delay: 1,
      scrapeOptions: N8N_SCRAPE_OPTIONS,
    });
    expect((await ask("GET", "/crawl/active")).crawls.map((crawl) => crawl.id)).toContain(id);
    expect(await ask("DELETE", `/crawl/${id}`)).toMatchObject({ status: "cancelled" });
    const { data } = await ask("POST", "/crawl/params-preview", { url, prompt: "only the blog, limit 50" });
    expect(data).toMatchObject({ url, limit: 50 });
  });

  test("scrapes a batch, with every field of its webhook", { tags: ["long"] }, async () => {
    const { id } = await ask("POST", "/batch/scrape", {
      urls: [sitePage("/final"), sitePage("/lists")],
      ...N8N_SCRAPE_OPTIONS,
      webhook: {
        url: "https://hooks.example.invalid/in",
        headers: {},
        metadata: {},
        events: ["completed", "page", "failed", "started"],
      },
      maxConcurrency: 100,
      ignoreInvalidURLs: true,
      zeroDataRetention: false,
    });
    expect(await ended(`/batch/scrape/${id}`)).toMatchObject({ status: "completed", completed: 2 });
    expect((await ask("GET", `/batch/scrape/${id}/errors`)).errors).toEqual([]);
  });

  test("finds that its credentials work", async () => {
    expect(await ask("GET", "/team/credit-usage")).toMatchObject({ success: true });
  });
});
