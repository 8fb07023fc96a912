/** An estimate shows other sites none of the caller's headers, as the crawl does. */
import { expect, test } from "vitest";
import { compileRules } from "../../../../src/core/crawl/crawl-scope.ts";
import { samplingOf } from "../../../../src/services/estimate/options-of-candidate.ts";

test.each([
  { what: "the site of the crawl", isExternal: false, hasMoved: false, names: ["Authorization", "Accept-Language"] },
  { what: "another site", isExternal: true, hasMoved: false, names: ["Accept-Language"] },
  { what: "a site that the start page moved to", isExternal: false, hasMoved: true, names: ["Accept-Language"] },
])("$what receives $names", ({ isExternal, hasMoved, names }) => {
  const url = "https://a.example/page";
  const input = { rules: compileRules(url, {}), sitemap: "skip" as const, isLanded: true, hasMoved };
  const sampling = { options: { headers: { Authorization: "Bearer secret", "Accept-Language": "fi" } }, more: 1 };
  const candidate = { key: url, url, depth: 1, isExternal, parent: undefined };
  const { options, more } = samplingOf(sampling, candidate, input);
  expect([Object.keys(options.headers), more]).toEqual([names, 1]);
});
