// @module-tag long
// The same endpoints without a service of their own: test/unit/http/v2/research and test/unit/http/v2/alexandria.test.ts.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { Firecrawl } from "firecrawl";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call } from "../client.ts";
import { connectToMcp, runCli } from "../clients/programs.ts";
import { inject } from "../inject.ts";
import { startProviderServer, type ProviderServer } from "./provider-server.ts";
import { startService, type TestService } from "../service.ts";

const PROVIDERS = ["openalex", "arxiv", "crossref", "pubmed", "github"];

let providers: ProviderServer;
let service: TestService;
let client: Firecrawl;
let mcp: Client;
let home: string;

beforeAll(async () => {
  providers = await startProviderServer(inject("siteUrl"), { hasResearch: true });
  const urls = PROVIDERS.map((name) => `${name}=${providers.url}/${name}`);
  service = await startService({ settings: { SEARCH_PROVIDER_URLS: urls.join(";") } });
  client = new Firecrawl({ apiKey: service.key, apiUrl: service.url });
  mcp = await connectToMcp({ FIRECRAWL_API_URL: service.url, FIRECRAWL_API_KEY: service.key });
  home = await mkdtemp(join(tmpdir(), "orbweaver-research-"));
});
afterAll(async () => {
  await mcp?.close();
  await service?.stop();
  await providers?.close();
  await rm(home, { recursive: true, force: true });
});

/** What a tool of the MCP server says, which checks its own output against its schema. */
async function say(name: string, input: Record<string, unknown>): Promise<{ text: string; structured: unknown }> {
  const { content, isError, structuredContent } = (await mcp.callTool({ name, arguments: input })) as CallToolResult;
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  expect(isError === true, text).toBe(false);
  return { text, structured: structuredContent };
}

describe("the JavaScript SDK", () => {
  test("searches for papers, reads one, and follows its citations", async () => {
    const found = await client.research.searchPapers("bells over water", { k: 5, from: "2020-01-01" });
    expect(found.results[0]).toMatchObject({ primaryId: "arxiv:2503.01234", ids: { openalex: ["W100"] } });
    const { paper } = await client.research.getPaper("arxiv:2503.01234");
    expect(paper).toMatchObject({ title: "Acoustics of the harbour bell", authors: "Edith Marrow, Jonas Pell" });
    const read = await client.research.getPaper("pmid:40953549", { query: "earplugs", k: 1 });
    expect(read.passages).toMatchObject([{ text: "Their earplugs were of wax and cotton." }]);
    const similar = await client.research.similarPapers("arxiv:2503.01234", { intent: "sound over water", k: 5 });
    expect(similar.results[0]).toMatchObject({ primaryId: "doi:10.1000/tides", signals: { seedOverlap: 1 } });
    expect(similar).toMatchObject({ poolSize: 2, truncated: false });
  });

  test("searches for developers with every filter, and GitHub as before", async () => {
    const found = await client.developerSearch("retry bell", {
      k: 5, passages: 2, types: ["issue", "readme"], repos: ["harrow/bell"], language: "Rust", topic: ["bells"],
      license: "MIT", minStars: 1, maxStars: 1000, archived: false, fork: false,
    }); // prettier-ignore
    expect(found.results.map(({ id }) => id)).toEqual(["issue:harrow/bell#7", "readme:harrow/bell"]);
    expect(found.repos).toEqual([
      { repo: "harrow/bell", indexed: true, types: { issue: true, pullRequest: false, readme: true } },
    ]);
    const older = await client.research.searchGithub("retry bell", { k: 1 });
    expect(older.results).toMatchObject([{ repo: "harrow/bell", pageType: "issue", number: 7 }]);
  });

  test("finds tools, calls them, and repeats a call without its costs", async () => {
    const found = await client.findTools({ providers: ["arxiv"], level: "tools" });
    expect(found.items).toMatchObject([{ id: "arxiv/papers/search" }]);
    const call = { ...found.items[0]?.execute, options: { query: "bell" } } as {
      provider: string;
      capability: string;
      options: Record<string, unknown>;
    };
    const asked = () => providers.seen.filter((path) => path.startsWith("/arxiv/")).length;
    const before = asked();
    const request = { alexandria: [call], requestId: "walk:1" };
    const first = await client.scrape(request);
    expect(first).toMatchObject({
      creditsCost: 2,
      requestId: "walk:1",
      alexandria: [{ provider: "arxiv", records: 1 }],
    });
    expect(await client.scrape(request)).toEqual(first);
    expect(asked()).toBe(before + 1);
    const { tools } = await client.search("papers of physics", { sources: ["alexandria"] });
    expect(tools?.[0]).toMatchObject({ provider: "arxiv", capability: "papers/search" });
    const refused: unknown = await client
      .scrape({ alexandria: { provider: "benzinga", capability: "x/y" } })
      .catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({ status: 501 });
  });

  test("is told what is wrong in the service's words", async () => {
    const error: unknown = await client.research.getPaper("nonsense").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 400, message: expect.stringContaining("not the id of a paper") });
  });
});

test("the MCP server's tools for papers and developers", async () => {
  const papers = await say("firecrawl_research_search_papers", { query: "bells over water", k: 3 });
  expect(papers.text).toContain("## [arxiv:2503.01234] Acoustics of the harbour bell");
  const paper = await say("firecrawl_research_inspect_paper", { paperId: "arxiv:2503.01234" });
  expect(paper.text).toContain("Authors: Edith Marrow; Jonas Pell");
  const related = await say("firecrawl_research_related_papers", { seed_ids: ["arxiv:2503.01234"], intent: "water" });
  expect(related.text).toContain("(poolSize=2)");
  const passages = await say("firecrawl_research_read_paper", { paperId: "pmid:40953549", question: "earplugs" });
  expect(passages.text).toContain("of wax and cotton");
  const tools = await say("firecrawl_find_tools", { query: "clinical trials" });
  expect(tools.text).toContain("pubmed/papers/search");
  const categories = await say("firecrawl_find_tools", {});
  expect(categories.text).toContain("Papers and their records");
  const call = { provider: "arxiv", capability: "papers/search", options: { query: "bell" } };
  expect((await say("firecrawl_scrape", { alexandria: call })).text).toContain("arxiv:2503.01234");
  const developer = await say("firecrawl_developer_search", { query: "retry bell", k: 3 });
  expect(developer.text).toContain("## [issue:harrow/bell#7] (issue) The bell rings twice");
});

test("the command line program's research and developer commands", async () => {
  const settings = { FIRECRAWL_API_URL: service.url, FIRECRAWL_API_KEY: service.key };
  const papers = await runCli(["research", "search-papers", "bells over water"], home, settings);
  expect(papers, papers.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining("[arxiv:2503.01234]") });
  const developer = await runCli(["developer", "retry bell"], home, settings);
  expect(developer, developer.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining("License: MIT") });
});

test("sources that are all away are an error in words", async () => {
  await providers.close();
  const { status, body } = await call("/v2/search/research/papers?query=bells", { service });
  expect(status).toBe(500);
  expect(body).toMatchObject({ code: "SEARCH_FAILED", error: expect.stringContaining("openalex: It could not be") });
});
