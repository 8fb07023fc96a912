import { describe, expect, test } from "vitest";
import { deployment, hit, provider, urls } from "../../../fakes/services/search-deployment.ts";

describe("the warning of a search", () => {
  test.each([
    {
      sources: ["web", "news", "images"] as const,
      warning: "categories: they narrow web results only; news and images were searched without them.",
    },
    {
      sources: ["news"] as const,
      warning: "categories: they narrow web results only, which were not requested.",
    },
    { sources: ["web"] as const, warning: undefined },
  ])("categories beside $sources are named where they narrow nothing", async ({ sources, warning }) => {
    const engine = provider("brave", [hit("https://a.gov/", { imageUrl: "https://a.gov/1.png" })]);
    const { search } = deployment([engine], "brave");
    const found = await search({ sources: sources.map((type) => ({ type })), categories: ["gov"] });
    expect(found.warning).toBe(warning);
  });

  test("no page of a government is reported missing where none was searched for", async () => {
    const { search } = deployment([provider("gdelt", [])], "news=gdelt");
    const { warning } = await search({ sources: [{ type: "news" }], categories: ["gov"] });
    expect(warning).not.toContain("gov:");
  });

  test("a requested provider that searches for nothing of the request is named", async () => {
    const images = provider("openverse", [], { places: new Set(["images"]) });
    const { search } = deployment([provider("brave", [hit("https://a.example/")]), images]);
    const { groups, warning } = await search({ providers: ["brave", "openverse"] });
    expect(urls(groups.web)).toEqual(["https://a.example/"]);
    expect(warning).toBe("providers: openverse cannot search for this.");
  });

  test.each([true, false])("safe: %s is named where the provider cannot filter", async (safe) => {
    const { search } = deployment(
      [provider("serper", [hit("https://a.example/")], { fulfils: new Set(["lang"]) })],
      "serper",
    );
    expect((await search({ safe })).warning).toBe("safe: not applied by serper.");
  });
});
