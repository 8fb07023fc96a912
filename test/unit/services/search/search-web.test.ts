import { describe, expect, test } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { HTTP_FAILURES, NOW_MS } from "../../../contracts/search-provider.ts";
import { PROVIDER_CASES } from "../../../fakes/upstream/provider-cases.ts";
import { replyingHttp, type Reply } from "../../../fakes/upstream/replying-http.ts";
import { deployment, down, hit, provider, urls } from "../../../fakes/services/search-deployment.ts";
import type { ProviderOutcome, SearchProvider, SearchQuery } from "../../../../src/search/provider.ts";
import type { WebSearchRequest } from "../../../../src/services/search/search-web.ts";

describe("one provider after another", () => {
  test("the first that finds something answers alone", async () => {
    const second = provider("serper", [hit("https://b.example/")]);
    const { search } = deployment([provider("brave", [hit("https://a.example/")]), second], "brave,serper");
    const { groups, attempts } = await search();
    expect(groups.web).toEqual([
      expect.objectContaining({ url: "https://a.example/", position: 1, provider: "brave" }),
    ]);
    expect(second.seen).toEqual([]);
    expect(attempts).toEqual([{ provider: "brave", source: "web", outcome: "answered", hits: 1, ms: 0 }]);
  });

  test("one that has nothing gives way to the next", async () => {
    const { search } = deployment(
      [provider("brave", []), provider("serper", [hit("https://b.example/")])],
      "brave,serper",
    );
    expect(urls((await search()).groups.web)).toEqual(["https://b.example/"]);
  });

  test("nothing is an answer when a provider says so, and the others that failed are named", async () => {
    const { search } = deployment([provider("brave", down), provider("serper", [])], "brave,serper");
    const { groups, attempts, warning } = await search();
    expect(groups.web).toEqual([]);
    expect(attempts.map(({ outcome }) => outcome)).toEqual(["server_error", "answered"]);
    expect(warning).toBe("web: not all providers answered (brave: It answered 500).");
  });

  test("nothing in the own index is no answer when every provider outside failed", async () => {
    const providers = [provider("own-index", []), provider("wikipedia", down), provider("hacker-news", down)];
    const error = await deployment(providers, "web=merge(own-index,wikipedia,hacker-news)").failure();
    expect(error.code).toBe("SEARCH_FAILED");
    expect(error.message).toBe(
      "No search provider outside this deployment answered, and no page of your own matches: own-index: no results; wikipedia: It answered 500; hacker-news: It answered 500",
    );
  });

  test("what the own index has is an answer, with a warning about the providers that failed", async () => {
    const providers = [provider("own-index", [hit("https://a.example/")]), provider("wikipedia", down)];
    const { groups, warning } = await deployment(providers, "web=merge(own-index,wikipedia)").search();
    expect(urls(groups.web)).toEqual(["https://a.example/"]);
    expect(warning).toBe("web: not all providers answered (wikipedia: It answered 500).");
  });

  test("nothing in the own index is an answer when nobody else was to be asked", async () => {
    const { search } = deployment([provider("own-index", [])], "web=own-index");
    const { groups, warning } = await search();
    expect([groups.web, warning]).toEqual([[], undefined]);
  });

  test("those that a request names are asked and no others, whether or not the deployment would ask them", async () => {
    const [brave, own] = [provider("brave", [hit("https://a.example/")]), provider("own-index", [])];
    const { search, failure } = deployment([brave, own], "web=brave");
    expect((await search({ providers: ["own-index"] })).groups.web).toEqual([]);
    expect([brave.seen.length, own.seen.length]).toEqual([0, 1]);
    expect((await failure({ providers: ["serper"] })).code).toBe("SEARCH_FAILED");
  });

  test("when all fail the error lists what each said", async () => {
    const late: ProviderOutcome = { kind: "failed", reason: "timed_out", message: "It did not answer in time" };
    const { failure } = deployment([provider("brave", down), provider("serper", late)], "brave,serper");
    const error = await failure();
    expect(error.code).toBe("SEARCH_FAILED");
    expect(error.message).toBe(
      "No search provider answered: brave: It answered 500; serper: It did not answer in time",
    );
    expect(error.details).toEqual([
      { provider: "brave", source: "web", outcome: "server_error", message: "It answered 500" },
      { provider: "serper", source: "web", outcome: "timed_out", message: "It did not answer in time" },
    ]);
  });

  test("when nobody can be asked the error says so", async () => {
    const { failure } = deployment([]);
    expect((await failure()).message).toContain("none that is set up searches for this");
  });

  test("a search that only the own index answers, and that it did not begin, has its refusal as the error", async () => {
    const refusal = new AppError("RATE_LIMITED", "Too many", { retryAfterSeconds: 10 });
    const late: ProviderOutcome = {
      kind: "failed",
      reason: "timed_out",
      message: "Other searches came first",
      refusal,
    };
    const own = provider("own-index", late);
    expect(await deployment([own], "own-index").failure()).toBe(refusal);
    const both = await deployment([own, provider("brave", down)], "own-index,brave").failure();
    expect(both.code).toBe("SEARCH_FAILED");
  });

  test("a search whose time is over is a time-out", async () => {
    const { clock, failure } = deployment(
      [
        provider("brave", async () => {
          clock.advance(5000);
          return { kind: "failed", reason: "timed_out", message: "It did not answer in time" };
        }),
      ],
      "brave",
    );
    const error = await failure({ timeoutMs: 5000 });
    expect(error.code).toBe("SCRAPE_TIMEOUT");
    expect(error.message).toContain("5000 ms");
  });

  test("one that is rate-limited is left alone for as long as it asked", async () => {
    const limited: ProviderOutcome = {
      kind: "failed",
      reason: "rate_limited",
      message: "It is rate-limited",
      retryAfterMs: 120_000,
    };
    const brave = provider("brave", limited);
    const { search, clock } = deployment([brave, provider("serper", [hit("https://b.example/")])], "brave,serper");
    await search();
    clock.advance(60_000);
    const { attempts } = await search();
    expect(brave.seen).toHaveLength(1);
    expect(attempts[0]).toMatchObject({
      provider: "brave",
      outcome: "skipped",
      message: "It is rate-limited for another 60 s",
    });
    clock.advance(60_001);
    await search();
    expect(brave.seen).toHaveLength(2);
  });
});

describe("several at once", () => {
  test("are fused by their ranks, each page once however its URL is written", async () => {
    const { search } = deployment(
      [
        provider("brave", [hit("https://a.example/"), hit("https://b.example/x"), hit("https://c.example/")]),
        provider("serper", [hit("http://www.b.example/x/"), hit("https://d.example/")]),
      ],
      "web=merge(brave,serper)",
    );
    const { groups } = await search();
    expect(groups.web.map(({ url, provider: first, providers }) => ({ url, first, providers }))).toEqual([
      { url: "https://b.example/x", first: "brave", providers: ["brave", "serper"] },
      { url: "https://a.example/", first: "brave", providers: undefined },
      { url: "https://d.example/", first: "serper", providers: undefined },
      { url: "https://c.example/", first: "brave", providers: undefined },
    ]);
  });

  test("answer although some of them fail", async () => {
    const { search } = deployment(
      [provider("brave", down), provider("serper", [hit("https://b.example/")])],
      "merge(brave,serper)",
    );
    expect(urls((await search()).groups.web)).toEqual(["https://b.example/"]);
  });

  test("do not wait for one that hangs once another has found something", async () => {
    const { search } = deployment(
      [provider("brave", () => new Promise(() => {})), provider("serper", [hit("https://b.example/")])],
      "merge(brave,serper)",
    );
    expect(urls((await search()).groups.web)).toEqual(["https://b.example/"]);
  });

  test("fail as one when all of them fail", async () => {
    const { failure } = deployment([provider("brave", down), provider("serper", down)], "merge(brave,serper)");
    expect((await failure()).message).toContain("brave: It answered 500; serper: It answered 500");
  });
});

describe("sources and categories", () => {
  test("each source is asked for by itself, and one that fails is named beside those that do not", async () => {
    const { search } = deployment(
      [
        provider("wikipedia", [hit("https://a.example/")]),
        provider("openverse", [
          hit("https://p.example/", { imageUrl: "https://p.example/1.jpg", imageWidth: 3, imageHeight: 2 }),
        ]),
        provider("gdelt", down),
      ],
      "web=wikipedia; images=openverse; news=gdelt",
    );
    const { groups, warning } = await search({ sources: [{ type: "web" }, { type: "images" }, { type: "news" }] });
    expect(groups.images).toEqual([
      {
        title: "https://p.example/",
        imageUrl: "https://p.example/1.jpg",
        imageWidth: 3,
        imageHeight: 2,
        url: "https://p.example/",
        position: 1,
        provider: "openverse",
      },
    ]);
    expect(groups.news).toEqual([]);
    expect(warning).toBe("news: no provider answered (gdelt: It answered 500).");
  });

  test("categories have providers of their own, take turns, and mark what they found", async () => {
    const { search } = deployment(
      [
        provider("github", [hit("https://github.com/a/b"), hit("https://github.com/c/d")]),
        provider("arxiv", [hit("https://arxiv.org/abs/1")]),
      ],
      "github=github; research=arxiv",
    );
    const { groups } = await search({ categories: ["github", "research"] });
    expect(groups.web.map(({ url, category, position }) => [url, category, position])).toEqual([
      ["https://github.com/a/b", "github", 1],
      ["https://arxiv.org/abs/1", "research", 2],
      ["https://github.com/c/d", "github", 3],
    ]);
  });

  test("an engine that is set up goes before what needs no key", async () => {
    const wikipedia = provider("wikipedia", [hit("https://w.example/")]);
    const { search } = deployment([wikipedia, provider("brave", [hit("https://b.example/")])]);
    expect(urls((await search()).groups.web)).toEqual(["https://b.example/"]);
    expect(wikipedia.seen).toEqual([]);
  });

  test("what needs no key steps in for an engine that fails", async () => {
    const { search } = deployment([provider("wikipedia", [hit("https://w.example/")]), provider("brave", down)]);
    expect(urls((await search()).groups.web)).toEqual(["https://w.example/"]);
  });

  test("duckduckgo is asked only where it is named", async () => {
    const duckduckgo = provider("duckduckgo", [hit("https://d.example/")]);
    await deployment([duckduckgo]).failure();
    expect(duckduckgo.seen).toEqual([]);
    expect(urls((await deployment([duckduckgo], "duckduckgo").search()).groups.web)).toEqual(["https://d.example/"]);
  });
});

describe("what results say", () => {
  test("descriptions and titles are words without markdown", async () => {
    const found = hit("https://a.example/", {
      title: "# The **bell**",
      description: "- See [the tower](https://a.example/t) and `bell_tower`",
    });
    const { groups } = await deployment([provider("brave", [found])], "brave").search();
    expect(groups.web[0]).toMatchObject({ title: "The bell", description: "See the tower and bell_tower" });
  });

  test("news has its age in words, and its date beside it", async () => {
    const dates = [new Date(NOW_MS - 3 * 3_600_000).toISOString(), "2 days ago", "2026-06-01"];
    const found = dates.map((date, index) => hit(`https://a.example/${index}`, { date }));
    const { groups } = await deployment([provider("gdelt", found)], "news=gdelt").search({
      sources: [{ type: "news" }],
    });
    expect(groups.news.map(({ date, publishedDate }) => [date, publishedDate])).toEqual([
      ["3 hours ago", "2026-06-15T09:00:00.000Z"],
      ["2 days ago", undefined],
      ["2 weeks ago", "2026-06-01"],
    ]);
  });
});

describe("what is asked for", () => {
  test.each([
    {
      why: "domains to stay on",
      request: { includeDomains: ["a.example"] },
      left: ["https://a.example/", "https://sub.a.example/"],
    },
    { why: "domains to stay away from", request: { excludeDomains: ["a.example"] }, left: ["https://b.example/"] },
    {
      why: "site: in the query",
      request: { query: "bell site:a.example" },
      left: ["https://a.example/", "https://sub.a.example/"],
    },
    { why: "-site: in the query", request: { query: "bell -site:a.example" }, left: ["https://b.example/"] },
  ])("$why hold whatever the provider answers", async ({ request, left }) => {
    const all = ["https://a.example/", "https://sub.a.example/", "https://b.example/"].map((url) => hit(url));
    const { search } = deployment([provider("brave", all)], "brave");
    expect(urls((await search(request)).groups.web)).toEqual(left);
  });

  test("a provider of one place is not asked about another", async () => {
    const wikipedia = provider("wikipedia", [], { hosts: ["wikipedia.org"] });
    const { search } = deployment([wikipedia, provider("brave", [hit("https://a.example/")])], "wikipedia,brave");
    await search({ includeDomains: ["a.example"] });
    expect(wikipedia.seen).toEqual([]);
    await search({ includeDomains: ["en.wikipedia.org"] });
    expect(wikipedia.seen).toHaveLength(1);
  });

  test("wishes reach the provider, a source's own before the request's", async () => {
    const brave = provider("brave", [hit("https://a.example/")]);
    const { search } = deployment([brave], "brave");
    await search({
      tbs: "qdr:m",
      lang: "de-AT",
      country: "AT",
      location: "Vienna",
      safe: true,
      limit: 3,
      sources: [{ type: "web", tbs: "qdr:d", location: "" }],
    });
    expect(brave.seen[0]).toMatchObject({
      tbs: "qdr:d",
      timeRange: { fromMs: NOW_MS - 86_400_000, unit: "day" },
      language: "de",
      languageTag: "de-at",
      country: "at",
      safe: true,
      limit: 3,
    });
  });

  test("a wish that the provider of the answer cannot fulfil is named", async () => {
    const { search } = deployment(
      [provider("wikipedia", [hit("https://a.example/")], { fulfils: new Set(["lang"]) })],
      "wikipedia",
    );
    const { warning } = await search({ tbs: "qdr:d", lang: "de", country: "at" });
    expect(warning).toBe("tbs: not applied by wikipedia. country: not applied by wikipedia.");
  });

  test("a value that the provider of the answer does not support is named", async () => {
    const fields = { leavesOut: ({ country }: SearchQuery) => (country === "ie" ? ["country" as const] : []) };
    const { search } = deployment([provider("brave", [hit("https://a.example/")], fields)], "brave");
    expect((await search({ country: "ie" })).warning).toBe("country: not applied by brave.");
    expect((await search({ country: "de" })).warning).toBeUndefined();
  });

  test("a country is its code for every provider, and one that is not known is named", async () => {
    const brave = provider("brave", [hit("https://a.example/")]);
    const { search } = deployment([brave], "brave");
    await search({ country: "Germany" });
    expect((await search({ country: "Atlantis" })).warning).toBe("country: “Atlantis” is no country that is known.");
    expect(brave.seen.map(({ country }) => country)).toEqual(["de", undefined]);
  });

  test("a time range that cannot be read is named", async () => {
    const { search } = deployment([provider("brave", [hit("https://a.example/")])], "brave");
    expect((await search({ tbs: "yesterday" })).warning).toBe("tbs: “yesterday” is no time range that is known.");
  });

  test("no more comes back than was asked for", async () => {
    const many = Array.from({ length: 30 }, (_, index) => hit(`https://a.example/${index}`));
    const { search } = deployment([provider("brave", many)], "brave");
    expect((await search({ limit: 7 })).groups.web).toHaveLength(7);
  });
});

/** Every provider, failing in every way, with another one behind it. */
describe.each(PROVIDER_CASES.filter(({ name }) => name !== "own-index"))(
  "$name for $place",
  ({ name, place, make, failures }) => {
    const source = place === "images" || place === "news" ? place : "web";
    const request: Partial<WebSearchRequest> = {
      sources: [{ type: source }],
      ...(source === place || place === "web" ? {} : { categories: [place as "github" | "research"] }),
    };
    const fallback = provider("own-index", [hit("https://fallback.gov/", { imageUrl: "https://fallback.gov/1.png" })]);
    const order = `${place}=${name},own-index`;
    const failing = (reply: Reply): SearchProvider => make(replyingHttp([reply]));

    test.each(failures ?? HTTP_FAILURES)(
      "$why: the next one answers, and what happened is said",
      async ({ reply, reason, words, retryAfterMs }) => {
        const { search, pauses } = deployment([failing(reply), fallback], order);
        const { groups, attempts } = await search(request);
        expect(urls(groups[source])).toEqual(["https://fallback.gov/"]);
        expect(groups[source][0]?.provider).toBe("own-index");
        expect(attempts[0]).toMatchObject({ provider: name, outcome: reason, message: expect.stringMatching(words) });
        const expected = retryAfterMs === undefined ? [] : [[name, NOW_MS + retryAfterMs]];
        expect([...pauses.pauses]).toEqual(expected);
      },
    );

    test.each(failures ?? HTTP_FAILURES)(
      "$why, alone: an error with its words and no empty list",
      async ({ reply, words }) => {
        const { failure } = deployment([failing(reply)], `${place}=${name}`);
        const error = await failure(request);
        expect(error.code).toBe("SEARCH_FAILED");
        expect(error.message).toMatch(words);
        expect(error.message).not.toContain("secret-key");
      },
    );
  },
);
