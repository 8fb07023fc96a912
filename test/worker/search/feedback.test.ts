import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createFeedbackStore } from "../../../src/storage/search/feedback.ts";
import { createProviderPauses } from "../../../src/storage/search/provider-pauses.ts";
import { firstIdOf } from "../../../src/storage/crawl/first-id.ts";

const NOW = Date.UTC(2026, 5, 15);

/** A search of a test's own, made at a moment. */
function searchAt(createdAtMs: number) {
  const id = `${firstIdOf(createdAtMs).slice(0, 14)}7${crypto.randomUUID().slice(15)}`;
  return { id, teamId: crypto.randomUUID(), creditsUsed: 2, createdAtMs };
}

test("a search is found by its id, until it is forgotten by its age", async () => {
  const store = createFeedbackStore(env.DB);
  const [old, recent] = [searchAt(NOW - 1000), searchAt(NOW + 1000)];
  await store.insertSearch(old);
  await store.insertSearch(recent);
  await store.insertSearch(recent);
  expect(await store.findSearch(old.id)).toEqual(old);
  expect(await store.purgeSearches(NOW, 10)).toBe(1);
  expect(await store.findSearch(old.id)).toBeUndefined();
  expect(await store.findSearch(recent.id)).toEqual(recent);
});

test("the first feedback on an answer counts, and its refunds are summed for a team", async () => {
  const store = createFeedbackStore(env.DB);
  const { id: jobId, teamId } = searchAt(NOW);
  const feedback = {
    id: crypto.randomUUID(),
    teamId,
    keyId: "key",
    endpoint: "search",
    jobId,
    rating: "good",
    bodyJson: "{}",
    creditsRefunded: 1,
    createdAtMs: NOW,
  };
  const cap = { credits: 100, items: 1_000, bytes: 1_000_000, sinceMs: 0 };
  expect(await store.add(feedback, cap)).toMatchObject({ id: feedback.id, isNew: true });
  expect(await store.add({ ...feedback, id: crypto.randomUUID() }, cap)).toMatchObject({
    id: feedback.id,
    isNew: false,
  });
  await store.add({ ...feedback, id: crypto.randomUUID(), jobId: crypto.randomUUID(), createdAtMs: NOW - 5 }, cap);
  expect(await store.refundedSince(teamId, NOW - 10)).toBe(2);
  expect(await store.refundedSince(teamId, NOW)).toBe(1);
  expect(await store.refundedSince("nobody", 0)).toBe(0);
});

test("a provider's pause is heeded until it is over, and only ever lengthened", async () => {
  const pauses = createProviderPauses(env.DB);
  // What was read for an earlier test file is known for a while.
  const startMs = NOW + 3_600_000;
  await pauses.list(startMs);
  await pauses.set("brave", startMs + 5000);
  await pauses.set("brave", startMs + 1000);
  expect([...(await pauses.list(startMs))]).toEqual([["brave", startMs + 5000]]);
  // What other isolates have written is read after a while.
  await env.DB.prepare("INSERT INTO provider_pauses VALUES ('exa', ?)")
    .bind(startMs + 60_000)
    .run();
  expect((await pauses.list(startMs + 20_000)).get("exa")).toBe(startMs + 60_000);
  expect((await pauses.list(startMs + 20_000)).has("brave")).toBe(false);
});
