import { describe, expect, test } from "vitest";
import { orderFor, parseProviderOrder, parseProviderUrls, PROVIDER_NAMES } from "../../../src/search/provider-order.ts";

describe("SEARCH_PROVIDERS", () => {
  test("orders providers by what is searched", () => {
    expect(parseProviderOrder("web = brave, own-index ; news=merge(gdelt,brave); github=github")).toEqual({
      web: { mode: "first", providers: ["brave", "own-index"] },
      news: { mode: "merge", providers: ["gdelt", "brave"] },
      github: { mode: "first", providers: ["github"] },
    });
  });

  test("without a place holds for every source that has none of its own", () => {
    expect(parseProviderOrder("searxng; images=openverse")).toEqual({
      web: { mode: "first", providers: ["searxng"] },
      news: { mode: "first", providers: ["searxng"] },
      images: { mode: "first", providers: ["openverse"] },
    });
  });

  test.each([
    { text: "web=google", words: /no provider google/ },
    { text: "videos=brave", words: /nothing to search called videos/ },
    { text: "web=all(brave)", words: /not of the form/ },
  ])("$text is refused with a reason", ({ text, words }) => {
    expect(() => parseProviderOrder(text)).toThrow(words);
  });

  test("left empty is no order", () => {
    expect(parseProviderOrder(" ; ")).toEqual({});
  });
});

describe("who is asked where nothing is set", () => {
  const keyless = PROVIDER_NAMES.filter(
    (name) => !["brave", "serper", "exa", "tavily", "searxng", "cloudflare"].includes(name),
  );

  test("what needs no key, all at once, and never DuckDuckGo", () => {
    const steps = orderFor("web", {}, keyless);
    expect(steps).toEqual([{ mode: "merge", providers: ["own-index", "wikipedia", "wikidata", "hacker-news"] }]);
  });

  test("an engine first, then what needs no key", () => {
    expect(orderFor("images", {}, [...keyless, "brave"])).toEqual([
      { mode: "first", providers: ["brave"] },
      { mode: "merge", providers: ["wikimedia-commons", "openverse"] },
    ]);
  });

  test("the indexes of papers before an engine", () => {
    expect(orderFor("research", {}, [...keyless, "brave"]).map(({ providers }) => providers[0])).toEqual([
      "openalex",
      "brave",
    ]);
  });
});

test("addresses of providers are read by name", () => {
  expect(parseProviderUrls("brave=http://127.0.0.1:1/x?a=b; wikipedia=https://w.example")).toEqual({
    brave: "http://127.0.0.1:1/x?a=b",
    wikipedia: "https://w.example",
  });
  expect(() => parseProviderUrls("brave=ftp://x")).toThrow(/must begin with http/);
  expect(() => parseProviderUrls("bing=https://x.example")).toThrow(/no provider bing/);
});
