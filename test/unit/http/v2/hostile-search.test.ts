import { describe, expect, test } from "vitest";
import { createOwnIndex } from "../../../../src/search/providers/web/own-index.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { memoryFeedback } from "../../../fakes/memory/memory-feedback.ts";
import { memoryPageIndex } from "../../../fakes/memory/memory-page-index.ts";
import { testApp } from "../../../fakes/services/test-app.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";
import { processorMs } from "../../../processor-time.ts";

/** Of processor time; each of them takes less than a tenth of it. */
const MAX_MS = 3_000;

function service() {
  const clock = fixedClock();
  const pageIndex = memoryPageIndex();
  const searchProviders = [createOwnIndex({ pages: pageIndex, clock, retentionMs: 86_400_000 })];
  return testApp(testDeps({ clock, pageIndex, searchProviders, feedback: memoryFeedback() }));
}

describe.each(["/v1/search", "/v2/search"])("POST %s", (path) => {
  test.each([
    { why: "a language that is syntax", body: { lang: `en" OR marks : "x` } },
    { why: "a language with a bracket", body: { lang: "en)" } },
    { why: "a language of 5,000 characters", body: { lang: "x".repeat(5_000) } },
    { why: "a country that is syntax", body: { country: `de" OR (x` } },
    { why: "a location of 5,000 characters", body: { location: "x".repeat(5_000) } },
    { why: "a query of 100,000 characters", body: { query: "a ".repeat(50_000) } },
  ])("refuses $why", async ({ body }) => {
    const response = await service().post(path, { query: "ferry", ...body });
    expect(response.status, await response.text()).toBe(400);
  });

  test.each(["en", "EN-us", "pt_BR", ""])("takes the language %j", async (lang) => {
    const response = await service().post(path, { query: "ferry", lang, country: "de", location: "Berlin, Germany" });
    expect(response.status, await response.text()).toBe(200);
  });

  test.each([`"`, `"""(((`, "-", "OR OR OR", "site:", "site:)", `filetype:"`, "-".repeat(4_000), '"a '.repeat(1_500), "site:a ".repeat(700), "\u0000", "\ud800"])("answers a query that is syntax", async (query) => {
    const answer = async (): Promise<void> => {
      const response = await service().post(path, { query });
      expect([200, 400]).toContain(response.status);
    };
    expect(await processorMs(answer)).toBeLessThan(MAX_MS);
  }); // prettier-ignore
});
