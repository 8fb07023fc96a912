import { describe, expect, test } from "vitest";
import { memoryPageIndex } from "../../../fakes/memory-page-index.ts";
import { testApp } from "../../../fakes/test-app.ts";
import { DEFAULT_TEAM_ID } from "../../../../src/services/bootstrap-keys.ts";
import { testDeps } from "../../../fakes/test-deps.ts";
import { createOwnIndex } from "../../../../src/search/own-index.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";

const page = { description: "", language: "en", fileType: "html", datedAtMs: 1_700_000_000_000 };

/** The service with an index that holds two pages of the caller's team and one of another. */
async function appWithPages(teamId: string) {
  const clock = fixedClock();
  const pages = memoryPageIndex();
  const own = [
    { ...page, url: "https://a.example/ferry", title: "Ferry", body: "The ferry sails at nine." },
    { ...page, url: "https://b.example/bell", title: "Bell", body: "A bell for the ferry." },
  ];
  const options = { nowMs: clock.now(), retentionMs: 1 };
  await pages.put(teamId, own, options);
  await pages.put("another-team", [{ ...page, url: "https://c.example/", title: "Theirs", body: "ferry" }], options);
  const searchProviders = [createOwnIndex({ pages, clock, retentionMs: 86_400_000 })];
  return testApp(testDeps({ clock, pageIndex: pages, searchProviders }));
}

describe("POST /v2/search", () => {
  test("finds what the caller's team has read, names who found it, and leaves empty groups out", async () => {
    const { post } = await appWithPages(DEFAULT_TEAM_ID);
    const response = await post("/v2/search", { query: "ferry" });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      success: true,
      data: {
        web: [
          {
            url: "https://a.example/ferry",
            title: "Ferry",
            description: "The ferry sails at nine.",
            date: "2023-11-14T22:13:20.000Z",
            position: 1,
            provider: "own-index",
          },
          expect.objectContaining({ url: "https://b.example/bell", position: 2 }),
        ],
      },
      creditsUsed: 2,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      receipt: expect.objectContaining({ credits: 2 }),
    });
  });

  test("answers an empty list when the provider has nothing", async () => {
    const { post } = await appWithPages(DEFAULT_TEAM_ID);
    const response = await post("/v2/search", { query: "volcano" });
    expect(await response.json()).toMatchObject({ success: true, data: {} });
  });

  test("is an error that says so when nobody can be asked", async () => {
    const { post } = testApp();
    const response = await post("/v2/search", { query: "ferry" });
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ success: false, code: "SEARCH_FAILED" });
  });
});
