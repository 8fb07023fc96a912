import { describe, expect, test } from "vitest";
import { compileRules, type CrawlScopeOptions } from "../../../../src/core/crawl/crawl-scope.ts";
import type { FrontierItem } from "../../../../src/core/crawl/frontier.ts";
import { crawl, judgeAll, type CrawlInput } from "../../../../src/jobs/crawl/crawl.ts";
import { startOf } from "../../../../src/services/crawl/start-crawl.ts";

const START = "https://site.example/docs/";

function inputOf(options: CrawlScopeOptions & Partial<Pick<CrawlInput, "sitemap">> = {}): CrawlInput {
  const { sitemap = "include", ...scope } = options;
  return { rules: compileRules(START, scope), sitemap, robotsAgent: "Orbweaver", isLanded: false };
}

function item(url: string, more: Partial<FrontierItem> = {}): FrontierItem {
  return {
    key: url.replace(/^https:\/\//, "").replace(/\/$/, ""),
    url,
    depth: 1,
    isExternal: false,
    attempt: 1,
    ...more,
  };
}

describe("a page of a crawl", () => {
  test("leads to what is in scope, and notes what is not", async () => {
    const links = () => ["https://site.example/docs/a", "https://site.example/shop", "mailto:someone@site.example"];
    const found = await crawl.follow({ item: item(`${START}b`), finalUrl: `${START}b` }, links, inputOf());
    expect(found.candidates).toMatchObject([{ url: "https://site.example/docs/a", depth: 2, parent: `${START}b` }]);
    expect(found.filtered).toMatchObject([{ reason: "BACKWARD_CRAWLING" }, { reason: "NON_WEB_PROTOCOL" }]);
  });

  test("leads to its hash routes when a browser rendered it, and otherwise takes them for anchors", async () => {
    const links = () => [`${START}#/tides`, `${START}#!/ferries/1`, `${START}app/#/a`];
    const landing = { item: item(START), finalUrl: `${START}#/here` };
    const urlsOf = async (isRendered: boolean) =>
      (await crawl.follow({ ...landing, isRendered }, links, inputOf())).candidates.map(({ url }) => url);
    expect(await urlsOf(true)).toEqual(links());
    expect(await urlsOf(false)).toEqual([`${START}app/#/a`]);
  });

  test("leads nowhere when the sitemap alone counts, and when it is of another site", async () => {
    const links = () => ["https://site.example/docs/a"];
    const landing = { item: item(`${START}b`), finalUrl: `${START}b` };
    expect(await crawl.follow(landing, links, inputOf({ sitemap: "only" }))).toMatchObject({ candidates: [] });
    const foreign = { item: item("https://other.example/", { isExternal: true }), finalUrl: "https://other.example/" };
    expect(await crawl.follow(foreign, links, inputOf({ allowExternalLinks: true }))).toMatchObject({ candidates: [] });
  });

  test("lets other requests run while it has very many links", async () => {
    const links = Array.from({ length: 5_000 }, (_, index) => `${START}${index}`);
    let turns = 0;
    const others = setInterval(() => turns++, 0);
    const { candidates } = await crawl.follow(
      { item: item(`${START}b`), finalUrl: `${START}b` },
      () => links,
      inputOf(),
    );
    clearInterval(others);
    expect(candidates).toHaveLength(links.length);
    expect(turns).toBeGreaterThan(4);
  });

  test("lists the links beyond the number that is followed, and another page may lead to them", async () => {
    const links = ["1", "/shop", "2", "3"].map((path) => new URL(path, START).href);
    const from = { url: START, depth: 1, isExternal: false };
    const judging = { rules: inputOf().rules, parent: START, budget: undefined, maxFollowed: 2 };
    const { candidates, filtered } = await judgeAll(links, from, judging);
    expect(candidates).toMatchObject([{ url: `${START}1` }, { url: `${START}2` }]);
    const key = "site.example/docs/3";
    expect(filtered).toMatchObject([{ reason: "BACKWARD_CRAWLING" }, { reason: "WORK_LIMIT", key, parent: START }]);
    expect(await judgeAll(links.slice(-1), from, judging)).toMatchObject({ candidates: [{ key }], filtered: [] });
  });

  describe("with patterns that take long for each link", () => {
    const links = Array.from({ length: 250 }, (_, index) => `${START}${index}/${"x".repeat(1_900)}`);
    const landing = { item: item(`${START}b`), finalUrl: `${START}b` };
    // Some 1.8 million steps a link.
    const input = inputOf({ includePaths: ["x{900}"] });

    test("lets other requests run between the links", async () => {
      let turns = 0;
      const others = setInterval(() => turns++, 0);
      const { candidates } = await crawl.follow(landing, () => links.slice(0, 20), input);
      clearInterval(others);
      expect(candidates).toHaveLength(20);
      expect(turns).toBeGreaterThan(3);
    });

    test("lists the links beyond a budget, the same ones each time, and another page may lead to them", async () => {
      const found = await crawl.follow(landing, () => links, input);
      expect(found.candidates.length).toBeGreaterThan(200);
      expect(found.candidates.length + found.filtered.length).toBe(links.length);
      const [first] = found.filtered;
      expect(first).toMatchObject({ reason: "WORK_LIMIT", key: expect.any(String), parent: `${START}b` });
      expect(await crawl.follow(landing, () => links, input)).toEqual(found);
      expect(await crawl.follow(landing, () => [first?.url ?? ""], input)).toMatchObject({
        candidates: [{ key: first?.key }],
      });
    });
  });

  test("is the page that it redirects to", () => {
    const landing = { item: item(`${START}old`), finalUrl: `${START}new` };
    expect(crawl.land(landing, inputOf())).toEqual({
      kind: "kept",
      finalKey: "site.example/docs/new",
      finalUrl: `${START}new`,
    });
  });

  test("is the same page when only its spelling changes", () => {
    const landing = { item: item(`${START}a`), finalUrl: `${START}a/` };
    expect(crawl.land(landing, inputOf())).toEqual({ kind: "kept" });
  });

  test("is left out when it redirects out of scope", () => {
    const landing = { item: item(`${START}a`), finalUrl: "https://other.example/login" };
    expect(crawl.land(landing, inputOf())).toMatchObject({ kind: "denied" });
  });

  test("of another site is kept wherever it redirects to", () => {
    const landing = { item: item("https://other.example/", { isExternal: true }), finalUrl: "https://third.example/" };
    expect(crawl.land(landing, inputOf())).toEqual({ kind: "kept" });
  });
});

describe("the first page of a crawl", () => {
  const first = item(START, { depth: 0 });

  test("is kept when its site has moved, and the crawl goes on there", () => {
    const landing = { item: first, finalUrl: "https://www.elsewhere.example/docs/" };
    expect(crawl.land(landing, inputOf())).toMatchObject({ kind: "kept" });
    const moved = crawl.rebase?.(landing, inputOf());
    expect(moved).toMatchObject({ isLanded: true, rules: { startUrl: "https://www.elsewhere.example/docs/" } });
  });

  test("is the page to which it moves, so that links to that one do not lead to it again", async () => {
    const finalUrl = "https://elsewhere.example/manual/start.html#top";
    const landing = { item: first, finalUrl };
    const verdict = crawl.land(landing, inputOf());
    expect(verdict).toEqual({
      kind: "kept",
      finalKey: "elsewhere.example/manual/start.html",
      finalUrl: "https://elsewhere.example/manual/start.html",
    });
    const moved = crawl.rebase?.(landing, inputOf()) ?? inputOf();
    expect(moved.rules.startUrl).toBe("https://elsewhere.example/manual/start.html");
    const { candidates } = await crawl.follow(landing, () => ["https://elsewhere.example/manual/start.html"], moved);
    expect(candidates).toMatchObject([{ key: "elsewhere.example/manual/start.html" }]);
  });

  test("is the page of its item where only the protocol or www. changes, or the rules leave it out", () => {
    for (const finalUrl of ["http://www.site.example/docs/#top", "https://elsewhere.example/a.png"])
      expect(crawl.land({ item: first, finalUrl }, inputOf())).toEqual({ kind: "kept" });
  });

  test.each([
    { url: "https://site.example/?id=1", options: { ignoreQueryParameters: true } },
    { url: "https://site.example/a?utm=1", options: { ignoreQueryParameters: true } },
    { url: "https://user:pw@site.example/", options: {} },
    { url: "https://site.example/?", options: {} },
    { url: "https://site.example/#top", options: {} },
    { url: "https://site.example/#/route", options: {} },
  ])("is known as the start when $url redirects to another host", ({ url, options }) => {
    const rules = compileRules(url, options);
    const start = startOf(rules);
    const landing = { item: { ...start, attempt: 1 }, finalUrl: "https://other.example/home/" };
    const input = { ...inputOf(), rules };
    expect(crawl.land(landing, input)).toMatchObject({ kind: "kept", finalKey: "other.example/home" });
    expect(crawl.rebase?.(landing, input)).toMatchObject({ rules: { startUrl: "https://other.example/home/" } });
  });

  test("has no anchor, and keeps a hash route", () => {
    const startFor = (url: string) => startOf(compileRules(url, { excludePaths: ["no"] }));
    expect(startFor(`${START}#intro`)).toMatchObject({ key: "site.example/docs", url: START });
    expect(startFor(`${START}#/`)).toMatchObject({ key: "site.example/docs", url: START });
    expect(startFor(`${START}#/a`)).toMatchObject({ key: "site.example/docs#/a", url: `${START}#/a` });
    expect(startFor(`${START}no#intro`)).toMatchObject({ url: `${START}no` });
  });

  test.each([
    { why: "its host", finalUrl: "https://www.elsewhere.example/docs/", folder: "/docs" },
    { why: "its host and its folder", finalUrl: "https://www.elsewhere.example/en/manual/", folder: "/en/manual" },
    { why: "its folder", finalUrl: "https://site.example/manual/start.html", folder: "/manual" },
    { why: "a folder within its own", finalUrl: "https://site.example/docs/latest/", folder: "/docs" },
  ])("takes the crawl along when it moves $why", async ({ finalUrl, folder }) => {
    const moved = crawl.rebase?.({ item: first, finalUrl }, inputOf());
    expect(moved?.rules.folder).toBe(folder);
    const { candidates } = await crawl.follow(
      { item: first, finalUrl },
      () => [new URL("a", finalUrl).href],
      moved ?? inputOf(),
    );
    expect(candidates).toHaveLength(1);
  });

  test("of a crawl of the whole domain may lead into any folder of it", () => {
    const landing = { item: first, finalUrl: "https://elsewhere.example/en/" };
    const moved = crawl.rebase?.(landing, inputOf({ crawlEntireDomain: true }));
    expect(moved?.rules).toMatchObject({ startUrl: "https://elsewhere.example/en/", folder: "" });
  });

  test("moves the crawl once", () => {
    const landing = { item: first, finalUrl: START };
    const landed = crawl.rebase?.(landing, inputOf());
    expect(landed).toMatchObject({ isLanded: true, rules: { startUrl: START } });
    expect(crawl.rebase?.(landing, landed ?? inputOf())).toBeUndefined();
  });

  test.each([
    { from: "https://docs.example/", to: "https://docs.example/en", hasMoved: false },
    { from: "http://docs.example/", to: "https://www.docs.example/", hasMoved: false },
    { from: "https://docs.example/", to: "http://docs.example/", hasMoved: true },
    { from: "https://docs.example/", to: "https://other.example/", hasMoved: true },
  ])("from $from to $to has moved: $hasMoved", ({ from, to, hasMoved }) => {
    const input = { ...inputOf(), rules: compileRules(from, {}) };
    expect(crawl.seed?.(input)).toMatchObject({ hasMoved: false });
    const landed = crawl.rebase?.({ item: item(from, { depth: 0 }), finalUrl: to }, input);
    expect(crawl.seed?.(landed ?? input)).toMatchObject({ hasMoved });
  });

  test("of an older version counts as moved once it has landed, since nothing says that it has not", () => {
    expect(crawl.seed?.({ ...inputOf(), isLanded: true })).toMatchObject({ hasMoved: true });
  });
});
