import { describe, expect, test } from "vitest";
import { extract, type ExtractInput } from "../../../../src/jobs/extract/extract.ts";
import type { StepTools } from "../../../../src/jobs/step-kind.ts";

const INPUT: ExtractInput = {
  urls: [],
  prompt: undefined,
  systemPrompt: undefined,
  schema: {
    type: "object",
    properties: { name: { type: "string" }, items: { type: "array", items: { type: "string" } } },
  },
  limit: undefined,
  ignoreSitemap: false,
  includeSubdomains: true,
  enableWebSearch: false,
  scrapeOptions: {},
};

/** Tools over a web that lives in a table: what is not in it cannot be read. */
function toolsFor(pages: Record<string, unknown>, more: Partial<StepTools> = {}) {
  const scraped: string[] = [];
  const tools = {
    llm: undefined,
    isLate: async () => false,
    roomForPages: async () => 16_000_000,
    map: async (_key: string, { url }: { url: string }) => ({
      kind: "done",
      value: Object.keys(pages)
        .filter((page) => page.startsWith(url))
        .map((page) => ({ url: page })),
    }),
    search: async () => ({ kind: "failed", code: "SEARCH_FAILED", message: "no provider" }),
    scrape: async (_key: string, { url }: { url: string }) => {
      scraped.push(url);
      if (!(url in pages)) return { kind: "failed", code: "SCRAPE_TIMEOUT", message: "too slow" };
      const evidence = [{ field: "name", url, quote: "q", from: "json-ld" }];
      return { kind: "done", value: { json: pages[url], evidence, metadata: { url, sourceURL: url } } };
    },
    ...more,
  } as unknown as StepTools;
  return { tools, scraped };
}

describe("an extract", () => {
  test("joins lists of several pages, and fills gaps of one thing", async () => {
    const { tools } = toolsFor({
      "https://a.example/1": { name: "Ann", items: ["x", "y"] },
      "https://a.example/2": { name: "Ann", items: ["Y", "z"], age: 3 },
    });
    const { data, sources, evidence } = await extract.run(
      { ...INPUT, evidence: true, urls: ["https://a.example/1", "https://a.example/2"] },
      tools,
    );
    expect(data).toEqual({ name: "Ann", items: ["x", "y", "z"], age: 3 });
    expect(sources).toEqual({ name: ["https://a.example/1"] });
    expect(evidence).toHaveLength(1);
  });

  test("sends the caller's headers to the sites that were given alone", async () => {
    const seen: Record<string, string[]> = {};
    const { tools } = toolsFor(
      {},
      {
        search: async () =>
          ({ kind: "done", value: [{ url: "https://b.example/found" }, { url: "http://a.example/2" }] }) as never,
        scrape: async (_key, { url, options }) => {
          seen[url] = Object.keys(options?.headers ?? {});
          return { kind: "failed", code: "SCRAPE_TIMEOUT", message: "too slow" } as never;
        },
      },
    );
    const scrapeOptions = { headers: { Authorization: "Bearer secret", "Accept-Language": "fi" } };
    const run = extract.run({ ...INPUT, urls: ["https://a.example/1"], enableWebSearch: true, scrapeOptions }, tools);
    await expect(run).rejects.toMatchObject({ code: "EXTRACT_FAILED" });
    expect(seen).toEqual({
      "https://a.example/1": ["Authorization", "Accept-Language"],
      "https://b.example/found": ["Accept-Language"],
      // Without TLS everybody on the way would read them.
      "http://a.example/2": ["Accept-Language"],
    });
  });

  test.each([undefined, false])("has no evidence with evidence %s, but sources", async (evidence) => {
    const { tools } = toolsFor({ "https://a.example/1": { name: "Ann" } });
    const asked = evidence === undefined ? {} : { evidence };
    const result = await extract.run({ ...INPUT, ...asked, urls: ["https://a.example/1"] }, tools);
    expect(result).toEqual({ data: { name: "Ann" }, sources: { name: ["https://a.example/1"] } });
  });

  test("does not mix things of different names", async () => {
    const { tools } = toolsFor({
      "https://a.example/1": { name: "Ann", items: ["x"] },
      "https://a.example/2": { name: "Ben", items: ["z"], age: 3 },
    });
    const { data, warning } = await extract.run(
      { ...INPUT, urls: ["https://a.example/1", "https://a.example/2"] },
      tools,
    );
    expect(data).toEqual({ name: "Ann", items: ["x", "z"] });
    expect(warning).toContain("https://a.example/2 is about another subject");
  });

  test("lists no further site when its time is over, and reports what was not read", async () => {
    const urls = ["a", "b", "c"].map((name) => `https://${name}.example/*`);
    const keys: string[] = [];
    const isLate = async (key: string) => keys.push(key) > 2 && key.startsWith("late map");
    const { tools, scraped } = toolsFor({ "https://a.example/1": { name: "Ann" } }, { isLate });
    const listed: string[] = [];
    const map: StepTools["map"] = (key, request) => (listed.push(request.url), tools.map(key, request));
    const { data } = await extract.run({ ...INPUT, urls }, { ...tools, map });
    expect(data).toEqual({ name: "Ann" });
    expect(listed).toEqual(["https://a.example/", "https://b.example/"]);
    expect(scraped).toContain("https://a.example/1");
    const late = toolsFor({}, { isLate: async () => true }).tools;
    await expect(extract.run({ ...INPUT, urls }, late)).rejects.toThrow("3 page(s) were not read");
  });

  test("searches for the fields of the schema when the prompt is empty", async () => {
    const queries: string[] = [];
    const search = async (_key: string, { query }: { query: string }) => {
      queries.push(query.trim());
      return { kind: "done", value: [{ url: "https://a.example/1" }] };
    };
    const { tools } = toolsFor({ "https://a.example/1": { name: "Ann" } }, { search } as unknown as Partial<StepTools>);
    await extract.run({ ...INPUT, prompt: " " }, tools);
    expect(queries).toEqual(["name items"]);
  });

  test("takes the pages below a folder that fit the wish best, and no more than the limit", async () => {
    const pages = Object.fromEntries(
      ["ferry", "soup", "ferry-times", "bread"].map((slug) => [`https://a.example/blog/${slug}`, { name: slug }]),
    );
    const { tools, scraped } = toolsFor(pages);
    await extract.run({ ...INPUT, urls: ["https://a.example/blog/*"], prompt: "ferry", limit: 2 }, tools);
    expect(scraped.toSorted()).toEqual(["https://a.example/blog/ferry", "https://a.example/blog/ferry-times"]);
  });

  test.each([
    { limit: 50, urls: ["https://a.example/*"], counts: [50, 0], warning: undefined },
    { limit: 50, urls: ["https://a.example/*", "https://b.example/*"], counts: [25, 25], warning: undefined },
    // What a small site leaves is read of the next one.
    { limit: 50, urls: ["https://c.example/*", "https://a.example/*"], counts: [48, 0], warning: undefined },
    { limit: undefined, urls: ["https://a.example/*"], counts: [10, 0], warning: undefined },
    { limit: 200, urls: ["https://a.example/*"], counts: [100, 0], warning: "limit: it was lowered to 100" },
    { limit: 200, urls: ["https://c.example/*"], counts: [0, 0], warning: undefined },
  ])("reads as many pages of sites as the limit $limit allows", async ({ limit, urls, counts, warning }) => {
    const sizes = { a: 120, b: 120, c: 2 };
    const pages = Object.entries(sizes).flatMap(([site, count]) =>
      Array.from({ length: count }, (_, index) => [`https://${site}.example/${index}`, { items: [] }] as const),
    );
    const { tools, scraped } = toolsFor(Object.fromEntries(pages));
    const result = await extract.run({ ...INPUT, urls, limit }, tools);
    const count = (site: string): number => scraped.filter((url) => url.startsWith(`https://${site}.`)).length;
    expect([count("a"), count("b")]).toEqual(counts);
    if (warning === undefined) expect(result.warning).toBeUndefined();
    else expect(result.warning).toContain(warning);
  });

  test("looks on the web when no page is named, and says when it cannot", async () => {
    const search = async () => ({ kind: "done" as const, value: [{ url: "https://b.example/" }] });
    const { tools, scraped } = toolsFor({ "https://b.example/": { name: "Bea" } }, { search });
    expect((await extract.run({ ...INPUT, prompt: "Who is Bea?" }, tools)).data).toEqual({ name: "Bea" });
    expect(scraped).toEqual(["https://b.example/"]);
    const without = extract.run({ ...INPUT, prompt: "Who is Bea?" }, toolsFor({}).tools);
    await expect(without).rejects.toMatchObject({
      code: "EXTRACT_FAILED",
      message: expect.stringContaining("no provider"),
    });
  });

  test("gives what it has when some pages fail", async () => {
    const { tools } = toolsFor({ "https://a.example/1": { name: "Ann" } });
    const { data, warning } = await extract.run(
      { ...INPUT, urls: ["https://a.example/1", "https://a.example/gone"] },
      tools,
    );
    expect(data).toEqual({ name: "Ann" });
    expect(warning).toContain("https://a.example/gone: too slow.");
  });

  test("stops reading when its time is over", async () => {
    const { tools } = toolsFor(
      { "https://a.example/1": { name: "Ann" } },
      { isLate: async (key) => key.endsWith("/2") },
    );
    const { warning } = await extract.run({ ...INPUT, urls: ["https://a.example/1", "https://a.example/2"] }, tools);
    expect(warning).toContain("1 page(s) were not read: the job's time limit was reached.");
  });

  test("keeps of pages with much data what has room, and says so", async () => {
    const pages = Object.fromEntries(
      Array.from({ length: 20 }, (_, page) => {
        const items = Array.from({ length: 100 }, (_item, at) => `${page} ${at} `.padEnd(1_000, "x"));
        return [`https://a.example/${page}`, { name: "Ann", items }];
      }),
    );
    const { tools } = toolsFor(pages, { roomForPages: async () => 400_000 });
    const { data, warning = "" } = await extract.run({ ...INPUT, urls: Object.keys(pages) }, tools);
    const { items } = data as { items: string[] };
    // Each page has 10,000 characters at least.
    expect(JSON.stringify(data).length).toBeLessThan(550_000);
    for (let page = 0; page < 20; page++) expect(items.some((item) => item.startsWith(`${page} `))).toBe(true);
    expect(warning.match(/is large: only the first \d+ bytes of its data were used/g)?.length).toBeGreaterThan(15);
  });

  test("has a bounded evidence where one long quote belongs to many equal values", async () => {
    const url = "https://a.example/1";
    const items = Array.from({ length: 60 }, (_, at) => ({ id: at, price: 5 }));
    const evidence = [{ field: "items[0].price", url, quote: "5 ".repeat(500_000), from: "json-ld" }];
    const scrape = async () => ({ kind: "done", value: { json: { items }, evidence, metadata: { url } } });
    const { tools } = toolsFor({}, { scrape } as unknown as Partial<StepTools>);
    const result = await extract.run({ ...INPUT, evidence: true, urls: [url] }, tools);
    expect(result.evidence?.length).toBeLessThan(33);
    expect(result).toMatchObject({ data: { items }, sources: { items: [url] } });
    expect(result.warning).toContain("evidence: only that of the first 31 values is there");
  });

  test("finds nothing without making anything up", async () => {
    const { tools } = toolsFor({ "https://a.example/1": null });
    expect((await extract.run({ ...INPUT, urls: ["https://a.example/1"] }, tools)).data).toEqual({});
  });
});
