import { describe, expect, test } from "vitest";
import type { ApiKey } from "../../../../src/core/account/api-key.ts";
import type { SessionPlan } from "../../../../src/core/sessions/browser-session.ts";
import { EMPTY_PROFILE } from "../../../../src/core/sessions/profile.ts";
import type { ScrapeOptions } from "../../../../src/formats/scrape-options.ts";
import type { Deps } from "../../../../src/services/deps.ts";
import { anonymousCaller } from "../../../../src/services/account/anonymous-caller.ts";
import { sessionOfScrape } from "../../../../src/services/sessions/interact-with-scrape.ts";
import { storeScrape } from "../../../../src/services/scrape/store-scrape.ts";
import { toDocumentParts } from "../../../../src/core/scrape/document-text.ts";
import { newScrapeId } from "../../../../src/core/scrape/scrape-id.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { memoryScrapes } from "../../../fakes/memory/memory-scrapes.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const URL_OF_PAGE = "https://a.example/account";

/** A scrape with these options, and the plan of the session that goes on with its page. */
async function interactWith(
  options: ScrapeOptions,
  { profiles = ["work"], unwritten = [] as string[], readBy = {} as Partial<ApiKey> } = {},
) {
  const plans: SessionPlan[] = [];
  const restored: string[] = [];
  const scrapes = memoryScrapes();
  const deps = testDeps({
    clock: fixedClock(),
    scrapes,
    sessionStore: { findByScrape: async () => undefined } as unknown as Deps["sessionStore"],
    profiles: {
      read: async ({ name }: { name: string }) => (profiles.includes(name) ? EMPTY_PROFILE : undefined),
    } as unknown as NonNullable<Deps["profiles"]>,
    profileBrowser: {
      restore: async (id: string) => (restored.push(id), []),
    } as unknown as NonNullable<Deps["profileBrowser"]>,
    browserSessions: {
      open: async (plan: SessionPlan) => {
        plans.push(plan);
        return { kind: "opened", view: { life: plan, tokens: { cdp: "", view: "", drive: "" } }, unwritten };
      },
      authorize: async () => ({ kind: "granted", browserSessionId: "b" }),
    } as unknown as NonNullable<Deps["browserSessions"]>,
  });
  const caller = anonymousCaller();
  const id = newScrapeId({ prefix: 1, shard: 0 });
  const request = { url: URL_OF_PAGE, apiVersion: "v2" as const, zeroDataRetention: false, options };
  const createdAtMs = deps.clock.now();
  await storeScrape(deps, caller, { id, parts: toDocumentParts({}), request, creditsUsed: 1, createdAtMs });
  const stored = (await scrapes.find(id, { teamId: caller.key.teamId, nowMs: createdAtMs }))?.record.replay;
  const payer = {
    ...caller,
    key: { ...caller.key, ...readBy },
    creditSource: { kind: "job" as const, take: async () => true },
  };
  const session = await sessionOfScrape(deps, payer, { scrapeId: id, existingSessionId: undefined });
  return { plans, restored, stored, warnings: session.warnings };
}

describe("the session of a scrape", () => {
  test("has the profile of the scrape, read only, and leaves its restoration to the object that loads the page", async () => {
    const { plans, restored, warnings } = await interactWith({ profile: { name: "work" } });
    expect(plans).toMatchObject([
      { profile: { name: "work", saveChanges: false }, replay: { url: URL_OF_PAGE, actions: [] } },
    ]);
    expect(restored).toEqual([]);
    expect(warnings).toEqual([]);
  });

  test("is refused when the profile is gone", async () => {
    await expect(interactWith({ profile: { name: "work" } }, { profiles: [] })).rejects.toMatchObject({
      code: "PROFILE_NOT_FOUND",
    });
  });

  test("is refused to another key that may not read scrapes", async () => {
    const scopes = { ...anonymousCaller().key.scopes, endpoints: ["browser" as const] };
    const refused = { code: "ENDPOINT_RESTRICTED" };
    await expect(interactWith({}, { readBy: { id: "other", scopes } })).rejects.toMatchObject(refused);
    expect((await interactWith({}, { readBy: { scopes } })).plans).toHaveLength(1);
  });

  test("names storage of the profile that was not restored", async () => {
    const { warnings } = await interactWith({ profile: { name: "work" } }, { unwritten: ["https://a.example"] });
    expect(warnings).toEqual([expect.stringContaining("storage of https://a.example was not restored")]);
  });

  test("names headers, of which nothing is stored", async () => {
    const { plans, stored, warnings } = await interactWith({ headers: { Authorization: "Bearer secret" } });
    expect(warnings).toEqual(["headers: those of the scrape are not stored, so the page was loaded without them."]);
    expect(stored).toBe('{"headers":true}');
    expect(plans[0]).not.toHaveProperty("profile");
  });

  test.each<ScrapeOptions>([{}, { profile: false }, { headers: {} }])("of %o needs nothing more", async (options) => {
    const { plans, stored, warnings } = await interactWith(options);
    expect([plans[0]?.profile, stored, warnings]).toEqual([undefined, undefined, []]);
  });
});
