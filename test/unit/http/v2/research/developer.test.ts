import { describe, expect, test } from "vitest";

import { DEFAULT_TEAM_ID } from "../../../../../src/services/account/bootstrap-keys.ts";
import { parseProviderOrder } from "../../../../../src/search/provider-order.ts";
import { researchService } from "../../../../fakes/services/research-service.ts";

const DEVELOPER = "/v2/search/developer";
const down = { status: 500 };
const issues = (asked: string[]): string[] => asked.filter((line) => line.includes("/search/issues"));
const repositories = (asked: string[]): string => asked.find((line) => line.includes("/search/repositories")) ?? "";

describe("a search for developers", () => {
  test("costs nothing when it fails unexpectedly", async () => {
    const fail = (path: string): undefined => {
      if (path.startsWith("/search/issues")) throw new TypeError("replies is not a function");
    };
    const { get, deps } = researchService({ odd: { github: fail } });
    expect((await get(`${DEVELOPER}?query=bell`)).status).toBe(500);
    expect(deps.meter.counts.credits).toBe(0);
  });

  test("finds issues, merged pull requests and readmes, with passages and licenses", async () => {
    const { get } = researchService();
    const { status, body } = await get(`${DEVELOPER}?query=retry+bell&k=10&integration=cli`);
    expect(status).toBe(200);
    expect(body.warning).toBeUndefined();
    expect(body.results).toEqual([
      {
        id: "issue:harrow/bell#7",
        url: "https://github.com/harrow/bell/issues/7",
        title: "The bell rings twice",
        passages: [
          {
            text: expect.stringContaining("A retry rings it again."),
            citation_url: "https://github.com/harrow/bell/issues/7",
          },
        ],
        license: "MIT",
      },
      expect.objectContaining({ id: "pull_request:harrow/bell#8" }),
      expect.objectContaining({ id: "readme:harrow/bell", url: "https://github.com/harrow/bell" }),
    ]);
    expect(JSON.stringify(body.results[2])).toContain("Rings bells");
  });

  test("finds documentation that the team has read, and says which sources are known", async () => {
    const { post, pages, clock } = researchService();
    const page = { description: "", language: "", fileType: "html", datedAtMs: 0, scrapeId: "a" };
    const body = "Call retry to try again.";
    const of = (url: string) => ({ ...page, url, title: "Retry", body });
    await pages.put(DEFAULT_TEAM_ID, [of("https://docs.rs/retry"), of("https://other.example/retry")], {
      nowMs: clock.now(),
      retentionMs: 1,
    });
    const docs = await post(DEVELOPER, { query: "retry", types: ["doc"] });
    expect(docs.body.results.map(({ id }) => id)).toEqual(["doc:https://docs.rs/retry"]);
    const named = await post(DEVELOPER, {
      query: "retry",
      types: ["doc"],
      sources: ["other.example", "docs.rs.example"],
    });
    expect(named.body.results.map(({ id }) => id)).toEqual(["doc:https://other.example/retry"]);
    expect(named.body["sources"]).toEqual([
      { source: "other.example", indexed: true },
      { source: "docs.rs.example", indexed: false },
    ]);
  });

  test("restricts issues by filters that only repositories have, through their repositories", async () => {
    const { post, asked } = researchService();
    await post(DEVELOPER, {
      query: "retry",
      types: ["issue"],
      language: "TypeScript",
      topic: ["bells"],
      license: "MIT",
      min_stars: 100,
      max_stars: 500,
      archived: false,
      fork: true,
    });
    expect(repositories(asked)).toContain(
      'retry in:name,description,topics,readme language:"TypeScript" topic:bells license:mit stars:100..500 archived:false fork:only',
    );
    expect(issues(asked)).toHaveLength(1);
    expect(issues(asked)[0]).toContain('retry is:issue repo:harrow/bell language:"TypeScript" archived:false');
  });

  test("named repositories are searched alone, and are listed with what GitHub has of them", async () => {
    const { post, asked } = researchService();
    const { body } = await post(DEVELOPER, { query: "retry", repos: ["harrow/bell", "harrow/none"], passages: 2 });
    expect(body["repos"]).toEqual([
      { repo: "harrow/bell", indexed: true, types: { issue: true, pullRequest: true, readme: true } },
      { repo: "harrow/none", indexed: false, types: { issue: true, pullRequest: true, readme: true } },
    ]);
    expect(repositories(asked)).toContain("q=repo:harrow/bell repo:harrow/none is:public&");
    expect(issues(asked)).toHaveLength(2);
    for (const line of issues(asked)) expect(line).toContain("repo:harrow/bell repo:harrow/none");
  });

  test("named repositories are searched as far as they pass the filters", async () => {
    const { post, asked } = researchService();
    const request = { query: "retry", types: ["issue"], repos: ["harrow/bell", "harrow/none"], k: 1 };
    await post(DEVELOPER, { ...request, license: "MIT", min_stars: 100 });
    expect(repositories(asked)).toContain("repo:harrow/bell repo:harrow/none license:mit stars:100..* is:public");
    expect(issues(asked)).toHaveLength(1);
    expect(issues(asked)[0]).toContain("repo:harrow/bell");
    expect(issues(asked)[0]).not.toContain("harrow/none");
  });

  test("sources are searched beside repositories and filters", async () => {
    const { post, pages, clock } = researchService();
    const page = { description: "", language: "", fileType: "html", datedAtMs: 0, scrapeId: "a" };
    const pageOf = (url: string) => ({ ...page, url, title: "Retry", body: "Call retry to try again." });
    const options = { nowMs: clock.now(), retentionMs: 1 };
    await pages.put(DEFAULT_TEAM_ID, [pageOf("https://docs.rs/retry"), pageOf("https://other.example/retry")], options);
    for (const restriction of [{ repos: ["harrow/bell"] }, { license: "MIT" }]) {
      const { body } = await post(DEVELOPER, { query: "retry", sources: ["other.example"], ...restriction });
      expect(body.results.map(({ id }) => id)).toContain("doc:https://other.example/retry");
      expect(body["sources"]).toEqual([{ source: "other.example", indexed: true }]);
      expect(body.warning).toBeUndefined();
    }
  });

  test.each([
    { body: { types: ["doc"], repos: ["harrow/bell"] }, warning: "types: doc was not searched" },
    { body: { types: ["doc", "issue"], topic: ["bells"] }, warning: "types: doc was not searched" },
    { body: { types: ["issue"], sources: ["docs.rs"] }, warning: "sources: they are hosts of documentation" },
    { body: { types: ["doc"], sources: ["docs.rs"], license: "MIT" }, warning: "types: doc alone is searched" },
    { body: { types: ["doc"], language: "TypeScript" }, warning: "types: doc alone is searched" },
    { body: { types: ["doc"] }, warning: undefined },
    { body: { repos: ["harrow/bell"] }, warning: undefined },
  ])("names what has no effect of $body", async ({ body, warning }) => {
    const answer = await researchService().post(DEVELOPER, { query: "retry", ...body });
    expect(answer.status).toBe(200);
    if (warning === undefined) expect(answer.body.warning).toBeUndefined();
    else expect(answer.body.warning).toContain(warning);
  });

  test("repositories that do not exist are no failure", async () => {
    const { post } = researchService({ odd: { github: { status: 422 } } });
    const { status, body } = await post(DEVELOPER, { query: "retry", repos: ["harrow/none"] });
    expect(status).toBe(200);
    expect(body.results).toEqual([]);
    expect(body.warning).toBeUndefined();
    expect(body.creditsUsed).toBe(0);
  });

  test("skills are searched in repositories of their topic, which is said", async () => {
    const { get, asked } = researchService();
    const { body } = await get(`${DEVELOPER}?query=bell&skills=only`);
    expect(repositories(asked)).toContain("topic:agent-skills");
    expect(body.warning).toContain("agent-skills");
  });

  test("is an error in words when GitHub does not answer and nothing was read", async () => {
    const { get } = researchService({ odd: { github: down } });
    const { status, body } = await get(`${DEVELOPER}?query=bell`);
    expect(status).toBe(500);
    expect(body).toMatchObject({ code: "SEARCH_FAILED", error: "No source answered: github: It answered 500" });
  });

  test("readmes that cannot be read are named; the description remains", async () => {
    const odd = { github: (path: string) => (path.startsWith("/repos/") ? down : undefined) };
    const { body } = await researchService({ odd }).get(`${DEVELOPER}?query=bell&types=readme`);
    expect(body.results).toMatchObject([{ id: "readme:harrow/bell", passages: [{ text: "Rings bells" }] }]);
    expect(body.warning).toBe("Not all sources answered (github readmes: It answered 500).");
  });

  test("asks only the sources that the settings name", async () => {
    const { get, asked } = researchService({ settings: { searchOrder: parseProviderOrder("developer=own-index") } });
    const { status, body } = await get(`${DEVELOPER}?query=bell`);
    expect([status, body.results, asked]).toEqual([200, [], []]);
  });

  test.each([
    { body: {}, words: "query" },
    { body: { query: "x", k: 101 }, words: "k" },
    { body: { query: "x", passages: 6 }, words: "passages" },
    { body: { query: "x", repos: ["bell"] }, words: "owner/name" },
    { body: { query: "x", sources: ["https://a.example/"] }, words: "host name" },
    { body: { query: "x", topic: ["a b"] }, words: "topic" },
    { body: { query: "x", min_stars: -1 }, words: "min_stars" },
    { body: { query: "x", skills: "all" }, words: "skills" },
    { body: { query: "x", limit: 3 }, words: "limit" },
  ])("refuses $body", async ({ body, words }) => {
    const answer = await researchService().post(DEVELOPER, body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain(words);
  });
});

test("the older search of GitHub has the same results, and names what replaces it", async () => {
  const { get } = researchService();
  const { status, body } = await get("/v2/search/research/github?query=retry+bell&k=2");
  expect(status).toBe(200);
  expect(body.results).toEqual([
    {
      resultType: "github_history",
      repo: "harrow/bell",
      url: "https://github.com/harrow/bell/issues/7",
      pageType: "issue",
      number: 7,
      title: "The bell rings twice",
      snippet: expect.stringContaining("retry"),
      contentMd: expect.stringContaining("retry"),
      scores: { rrf: expect.any(Number) },
    },
    expect.objectContaining({ pageType: "pull", number: 8 }),
  ]);
  expect(body).toMatchObject({ replacement: DEVELOPER, warnings: [expect.stringContaining("Deprecated")] });
});
