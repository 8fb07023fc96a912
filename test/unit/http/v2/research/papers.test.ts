import { describe, expect, test } from "vitest";
import { AppError } from "../../../../../src/core/errors.ts";
import type { WaitLimit } from "../../../../../src/core/waits/wait-for-grant.ts";

import { DEFAULT_TEAM_ID } from "../../../../../src/services/account/bootstrap-keys.ts";
import { parseProviderOrder } from "../../../../../src/search/provider-order.ts";
import { researchService } from "../../../../fakes/services/research-service.ts";

const PAPERS = "/v2/search/research/papers";
const down = { status: 500 };

describe("a search for papers", () => {
  test("merges the sources: a paper of several of them is one, under all of its ids", async () => {
    const { get } = researchService();
    const { status, body } = await get(`${PAPERS}?query=bells+over+water&k=10&origin=js-sdk@4.42.0`);
    expect(status).toBe(200);
    expect(body.warning).toBeUndefined();
    expect(body.results[0]).toEqual({
      paperId: "arxiv:2503.01234",
      primaryId: "arxiv:2503.01234",
      ids: { arxiv: ["2503.01234"], openalex: ["W100"] },
      title: "Acoustics of the harbour bell",
      abstract: "We measure how far a bell carries over water, and how the echo returns from the mole.",
      authors: "Edith Marrow, Jonas Pell",
      categories: ["physics.class-ph"],
      createdDate: "2025-03-04",
      updateDate: "2026-01-02T00:00:00",
      score: expect.any(Number),
      sources: ["openalex", "arxiv"],
    });
    expect(body.results[1]).toMatchObject({ primaryId: "doi:10.1000/tides", sources: ["openalex", "crossref"] });
    expect(body.results[2]).toMatchObject({
      primaryId: "pmid:40953549",
      ids: { pmid: ["40953549"], pmcid: ["PMC12530322"] },
      title: "Hearing loss among bell ringers",
      abstract: "AIM: To hear. Ringers hear less.",
      authors: "Edith Marrow",
      createdDate: "2025-09",
    });
    expect(body).toMatchObject({ success: true, creditsUsed: 2, receipt: { credits: 2 } });
  });

  test("takes pages of papers that the team has read", async () => {
    const { get, pages, clock } = researchService({
      settings: { searchOrder: parseProviderOrder("research=own-index") },
    });
    const page = { description: "", language: "", fileType: "html", datedAtMs: 0, scrapeId: "a" };
    const url = "https://arxiv.org/abs/2401.00001v3";
    const other = { ...page, url: "https://arxiv.org/list/cs", title: "Bells", body: "Bells" };
    const options = { nowMs: clock.now(), retentionMs: 1 };
    await pages.put(DEFAULT_TEAM_ID, [{ ...page, url, title: "On bells", body: "Bells ring." }, other], options);
    const { body } = await get(`${PAPERS}?query=bells`);
    expect(body.results.map(({ primaryId }) => primaryId)).toEqual(["arxiv:2401.00001"]);
  });

  test("sends filters to the sources that have them, and names the others", async () => {
    const { get, asked } = researchService();
    const { body } = await get(
      `${PAPERS}?query=bell&authors=marrow&authors=Pell&categories=physics.class-ph&from=2025-01-01&to=2025-12-31`,
    );
    expect(body.results.map(({ primaryId }) => primaryId)).toEqual(["arxiv:2503.01234"]);
    expect(body.warning).toBe(
      "Not requested, since they do not have these filters: openalex, crossref, pubmed, own-index.",
    );
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain(
      'all:bell AND submittedDate:[202501010000 TO 202512312359] AND au:"marrow" AND au:"Pell" AND cat:physics.class-ph',
    );
  });

  test("leaves out what a source returns beside the filters", async () => {
    const { get, asked } = researchService();
    const { body } = await get(`${PAPERS}?query=bell&authors=Quay&from=2024-01-01&to=2024-12-31`);
    expect(body.results.map(({ primaryId }) => primaryId)).toEqual(["doi:10.1000/tides"]);
    expect(asked.find((line) => line.startsWith("openalex"))).toContain(
      "raw_author_name.search:Quay,from_publication_date:2024-01-01,to_publication_date:2024-12-31",
    );
    expect(asked.find((line) => line.includes("esearch"))).toContain("mindate=2024/01/01");
    expect(asked.find((line) => line.startsWith("crossref"))).toContain("query.author=Quay");
  });

  test("returns what there is when sources fail, and names them", async () => {
    const { get, pauses } = researchService({
      odd: { openalex: down, arxiv: { status: 429, headers: { "retry-after": "600" } } },
    });
    const { status, body } = await get(`${PAPERS}?query=bell`);
    expect(status).toBe(200);
    expect(body.results).toHaveLength(2);
    expect(body.warning).toContain("openalex: It answered 500");
    expect(body.warning).toContain("arxiv: It is rate-limited");
    expect([...pauses.pauses.keys()]).toEqual(["arxiv"]);
  });

  test("costs nothing when it fails unexpectedly", async () => {
    const fail = (): never => {
      throw new TypeError("replies is not a function");
    };
    const { get, deps } = researchService({ odd: { openalex: fail } });
    expect((await get(`${PAPERS}?query=bell`)).status).toBe(500);
    expect(deps.meter.counts.credits).toBe(0);
  });

  test("is an error in words when all fail, and costs nothing", async () => {
    const { get, deps } = researchService({ odd: { openalex: down, arxiv: down, crossref: down, pubmed: down } });
    const { status, body } = await get(`${PAPERS}?query=bell`);
    expect(status).toBe(500);
    expect(body).toMatchObject({ success: false, code: "SEARCH_FAILED", detail: body.error });
    expect(body.error).toContain("openalex: It answered 500");
    expect(deps.meter.counts.credits).toBe(0);
  });

  test.each([
    { query: "k=3", words: "query" },
    { query: "query=+", words: "query" },
    { query: "query=x&k=501", words: "k" },
    { query: "query=x&k=many", words: "k" },
    { query: "query=x&from=2025-13-01", words: "no such day" },
    { query: "query=x&limit=3", words: "limit" },
  ])("refuses ?$query", async ({ query, words }) => {
    const { status, body } = await researchService().get(`${PAPERS}?${query}`);
    expect(status).toBe(400);
    expect(body.error).toContain(words);
    expect(body.detail).toBe(body.error);
  });
});

describe("a paper", () => {
  test.each(["arxiv:2503.01234", "2503.01234v1", "https://arxiv.org/abs/2503.01234", "openalex:W100"])(
    "is found as %s",
    async (id) => {
      const { status, body } = await researchService().get(`${PAPERS}/${encodeURIComponent(id)}`);
      expect(status).toBe(200);
      expect(body["paper"]).toMatchObject({ paperId: "arxiv:2503.01234", authors: "Edith Marrow, Jonas Pell" });
      expect(body).not.toHaveProperty("passages");
      expect(body.creditsUsed).toBe(1);
    },
  );

  test("is read from PubMed Central, passage by passage", async () => {
    const { get } = researchService();
    const { body } = await get(`${PAPERS}/pmid%3A40953549?query=which+earplugs&k=1`);
    expect(body).toMatchObject({ paperId: "pmid:40953549", query: "which earplugs" });
    expect(body["passages"]).toEqual([{ text: "Their earplugs were of wax and cotton.", score: expect.any(Number) }]);
  });

  test("without a text that can be read has no passages, and a warning", async () => {
    const { get } = researchService();
    const { status, body } = await get(`${PAPERS}/arxiv%3A2503.01234?query=echo`);
    expect(status).toBe(200);
    expect(body["passages"]).toEqual([]);
    expect(body.warning).toContain("full text of this paper could not be read");
  });

  test("whose text cannot be searched in time has no passages, and a warning", async () => {
    const { get, deps } = researchService();
    let limit: WaitLimit | undefined;
    deps.textTasks = (_owner, given) => {
      limit = given;
      return async () => {
        throw new AppError("SCRAPE_TIMEOUT");
      };
    };
    const { status, body } = await get(`${PAPERS}/pmid%3A40953549?query=which+earplugs&k=1`);
    expect(limit?.deadlineMs).toBeGreaterThan(deps.clock.now());
    expect(status).toBe(200);
    expect(body["passages"]).toEqual([]);
    expect(body.warning).toContain("could not be searched in time");
  });

  test("that nobody has is not found; where a source failed, that is the error", async () => {
    const unknown = await researchService().get(`${PAPERS}/doi%3A10.1000%2Fnothing`);
    expect(unknown.status).toBe(404);
    expect(unknown.body.error).toContain("doi:10.1000/nothing");
    const failed = await researchService({ odd: { crossref: down } }).get(`${PAPERS}/doi%3A10.1000%2Fnothing`);
    expect(failed.status).toBe(500);
    expect(failed.body.code).toBe("SEARCH_FAILED");
  });

  test.each([
    { path: "/nonsense", words: "not the id of a paper" },
    { path: "/arxiv%3A2503.01234?k=3", words: "k requires query" },
    { path: "/arxiv%3A2503.01234/similar", words: "intent" },
    { path: "/arxiv%3A2503.01234/similar?intent=x&mode=cousins", words: "mode" },
    { path: "/nonsense/similar?intent=x", words: "not the id of a paper" },
  ])("refuses $path", async ({ path, words }) => {
    const { status, body } = await researchService().get(`${PAPERS}${path}`);
    expect(status).toBe(400);
    expect(body.error).toContain(words);
  });
});

describe("related papers", () => {
  test.each([
    { mode: "citers", filter: "cites:W100" },
    { mode: "references", filter: "cited_by:W100" },
    { mode: "similar", filter: "related_to:W100" },
  ])("$mode come from the graph of citations, ranked by the intent", async ({ mode, filter }) => {
    const { get, asked } = researchService();
    const { status, body } = await get(
      `${PAPERS}/arxiv%3A2503.01234/similar?intent=sound+over+water&mode=${mode}&k=5&anchor=pmid%3A1`,
    );
    expect(status).toBe(200);
    expect(asked.some((line) => line.includes(`filter=${filter}&`))).toBe(true);
    expect(body.results.map(({ primaryId }) => primaryId)).toEqual(["doi:10.1000/tides", "doi:10.1000/mills"]);
    expect(body.results[0]?.["signals"]).toEqual({ structural: 1, semantic: 1, articleRank: 1, seedOverlap: 1 });
    expect(body).toMatchObject({ poolSize: 2, truncated: false });
    expect(body.warning).toBe("Not in the graph of citations: pmid:1.");
  });

  test("rerank=false leaves the order of the graph, and k cuts it", async () => {
    const { get } = researchService();
    const { body } = await get(`${PAPERS}/openalex%3AW100/similar?intent=sound+over+water&rerank=false&k=1`);
    expect(body.results.map(({ primaryId }) => primaryId)).toEqual(["doi:10.1000/mills"]);
    expect(body["truncated"]).toBe(true);
  });

  test("are an error when the graph does not answer", async () => {
    const { get } = researchService({ odd: { openalex: down } });
    const { status, body } = await get(`${PAPERS}/arxiv%3A2503.01234/similar?intent=x`);
    expect(status).toBe(500);
    expect(body.code).toBe("SEARCH_FAILED");
  });
});
