import { describe, expect, test } from "vitest";
import { deepResearch, type DeepResearchInput, type DeepResearchResult } from "../../../src/jobs/deep-research.ts";
import type { StepTools } from "../../../src/jobs/step-kind.ts";
import { smallWeb } from "../../fakes/upstream/small-web.ts";

const A = "https://tides.example/power";
const B = "https://tides.example/turbines-tidal";
const PAGES = {
  [A]: { title: "Power", description: "About power", markdown: "Tidal power plants turn the tide's stream into current.", links: [B] },
  [B]: { title: "Turbines", markdown: "Tidal turbines of a power plant stand on the sea floor and turn slowly." },
}; // prettier-ignore
const ASK: DeepResearchInput = {
  query: "How do tidal power plants work?",
  maxDepth: 4,
  maxUrls: 10,
  analysisPrompt: undefined,
  systemPrompt: undefined,
  json: undefined,
};

describe("deep research", () => {
  test("without a model searches once, follows what it read, and quotes it", async () => {
    const { tools, log, shown } = smallWeb({ pages: PAGES, found: [{ url: A }] });
    const result = await deepResearch.run(ASK, tools);
    expect(log).toEqual([`search ${ASK.query}`, `scrape ${A}`, `scrape ${B}`]);
    expect(result.finalAnalysis).toContain("turn the tide's stream into current");
    expect(result.sources).toEqual([
      { url: A, title: "Power", description: "About power" },
      { url: B, title: "Turbines", description: "" },
    ]);
    expect(result.activities.map(({ type, depth }) => [type, depth])).toEqual([
      ["search", 1],
      ["scrape", 1],
      ["scrape", 2],
      ["synthesis", 3],
    ]);
    expect(result).toMatchObject({ totalUrls: 2, maxDepth: 4 });
    expect(result.warning).toContain("no language model is configured");
    expect((shown[0] as DeepResearchResult).activities).toHaveLength(1);
  });

  test("names the addresses of icons, and holds no icons", async () => {
    const icons = ["https://tides.example/icon.png", `data:image/png;base64,${"A".repeat(40)}`, `https://a.example/${"x".repeat(3_000)}`]; // prettier-ignore
    const markdown = "Tidal power plants turn the tide's stream into current.";
    const pages = Object.fromEntries(icons.map((favicon, at) => [`${A}/${at}`, { markdown, favicon }]));
    const { tools } = smallWeb({ pages, found: Object.keys(pages).map((url) => ({ url })) });
    const { sources } = await deepResearch.run({ ...ASK, maxDepth: 1 }, tools);
    expect(sources.map(({ favicon }) => favicon)).toEqual([icons[0], undefined, undefined]);
  });

  test("with a model searches for what is missing, and writes the analysis", async () => {
    const { tools, log } = smallWeb({
      pages: PAGES,
      found: [{ url: A }],
      steps: [],
      objects: [{ queries: ["tidal turbines", "tidal turbines"] }, { queries: [] }],
      texts: ["They turn streams into current."],
    });
    const result = await deepResearch.run({ ...ASK, maxDepth: 3 }, tools);
    expect(log).toContain("search tidal turbines");
    expect(result.finalAnalysis).toBe("They turn streams into current.");
    expect(result.activities.map(({ type }) => type)).toEqual(expect.arrayContaining(["reasoning", "analyze"]));
  });

  test("names the values of a model's analysis that no page states", async () => {
    const texts = [
      "The plant was built on 1 May 1966 and costs €7,777 a day. It turns the tide's stream into current.",
    ];
    const { tools } = smallWeb({ pages: PAGES, found: [{ url: A }], steps: [], objects: [], texts });
    const { finalAnalysis, warning } = await deepResearch.run({ ...ASK, maxDepth: 1 }, tools);
    expect(finalAnalysis).toBe(texts[0]);
    expect(warning).toBe("deep research: Unverified: the pages that were read do not state “€7,777”, “1 May 1966”.");
  });

  test("reads no more pages and goes no deeper than it may", async () => {
    const { tools, log } = smallWeb({ pages: PAGES, found: [{ url: A }, { url: B }] });
    const result = await deepResearch.run({ ...ASK, maxUrls: 1 }, tools);
    expect(log.filter((line) => line.startsWith("scrape"))).toEqual([`scrape ${A}`]);
    expect(result.totalUrls).toBe(1);
  });

  test("says that more pages are asked for than its rounds read", async () => {
    const { tools } = smallWeb({ pages: PAGES, found: [{ url: A }] });
    const { warning } = await deepResearch.run({ ...ASK, maxUrls: 97 }, tools);
    expect(warning).toContain("maxUrls: a round reads at most 8 pages, so that maxDepth 4 reads at most 32.");
    expect((await deepResearch.run({ ...ASK, maxUrls: 96 }, tools)).warning).not.toContain("maxUrls");
  });

  test("uses the first 1,000,000 characters of links of a page, and says so", async () => {
    const links = [
      ...Array.from({ length: 600 }, (_, index) => `https://tides.example/${index}${"x".repeat(2_000)}`),
      B,
    ];
    const { tools, log } = smallWeb({ pages: { ...PAGES, [A]: { ...PAGES[A], links } }, found: [{ url: A }] });
    const { warning } = await deepResearch.run({ ...ASK, maxDepth: 2 }, tools);
    expect(warning).toMatch(/^.*tides.example\/power is large: only the first 49\d of its links were used\.$/);
    expect(log).not.toContain(`scrape ${B}`);
  });

  test("tells of searches and pages that failed, and that nothing was found", async () => {
    const { tools } = smallWeb({ pages: {} });
    const result = await deepResearch.run(ASK, tools);
    expect(result.finalAnalysis).toBe("Nothing was found that answers this.");
    expect(result.activities[0]).toMatchObject({
      type: "search",
      status: "error",
      message: expect.stringContaining("no provider"),
    });
    expect(result.warning).toContain("deep research: the search failed: no provider answered.");
  });

  test("reads a page that two URLs lead to once", async () => {
    const scrape = async () => ({ kind: "done", value: { markdown: PAGES[A].markdown, metadata: { url: A } } });
    const found = [{ url: `${A}?from=news` }, { url: A }];
    const { tools } = smallWeb({ pages: {}, found, more: { scrape } as unknown as Partial<StepTools> });
    expect((await deepResearch.run({ ...ASK, maxDepth: 1 }, tools)).sources.map(({ url }) => url)).toEqual([A]);
  });

  test("goes on after a round whose addresses all led to a page that was read", async () => {
    const links = Array.from({ length: 10 }, (_, at) => `https://tides.example/tidal-power-plants-${at}`);
    let read = 0;
    const scrape = async (_key: string, { url }: { url: string }) => {
      const isMoved = ++read > 1 && read <= 9;
      return { kind: "done", value: { markdown: PAGES[A].markdown, links, metadata: { url: isMoved ? A : url } } };
    };
    const more = { scrape } as unknown as Partial<StepTools>;
    const { tools } = smallWeb({ pages: {}, found: [{ url: A }], more });
    const { sources } = await deepResearch.run(ASK, tools);
    expect(read).toBe(11);
    expect(sources).toHaveLength(3);
  });

  test("keeps what the analysis repeats of the caller's own rules, and removes the service's", async () => {
    const rule = "Always begin the report with the words Report of the tides, in one line.";
    const own = "You write reports from what pages say, in markdown, and name the address behind each statement.";
    const { tools } = smallWeb({ pages: PAGES, found: [{ url: A }], steps: [], texts: [`${rule} ${own}`] });
    const { finalAnalysis } = await deepResearch.run({ ...ASK, maxDepth: 1, systemPrompt: rule }, tools);
    expect(finalAnalysis).toContain(rule);
    expect(finalAnalysis).not.toContain(own);
  });

  test("fills a schema by rules when data is wanted", async () => {
    const pages = { [A]: { ...PAGES[A], links: [], json: { name: "La Rance" } } };
    const { tools } = smallWeb({ pages, found: [{ url: A }] });
    const json = { schema: { type: "object", properties: { name: { type: "string" } } }, prompt: undefined };
    expect((await deepResearch.run({ ...ASK, json }, tools)).json).toEqual({ name: "La Rance" });
  });
});
