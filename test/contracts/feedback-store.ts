import { describe, expect, test } from "vitest";
import type { Feedback, FeedbackStore } from "../../src/ports/search/feedback.ts";
import { firstIdOf } from "../../src/storage/crawl/first-id.ts";

const NOW = Date.UTC(2026, 5, 15);
const CAP = { credits: 100, items: 1_000, bytes: 1_000_000, sinceMs: 0 };

/** A search with an id of its time, as the service makes them. */
function searchAt(createdAtMs: number) {
  const id = `${firstIdOf(createdAtMs).slice(0, 14)}7${crypto.randomUUID().slice(15)}`;
  return { id, teamId: crypto.randomUUID(), creditsUsed: 2, createdAtMs };
}

function someFeedback(fields: Partial<Feedback> = {}): Feedback {
  return {
    id: crypto.randomUUID(),
    teamId: crypto.randomUUID(),
    keyId: "key",
    endpoint: "search",
    jobId: crypto.randomUUID(),
    rating: "good",
    bodyJson: "{}",
    creditsRefunded: 1,
    createdAtMs: NOW,
    ...fields,
  };
}

/** Requirements of every store of searches and feedback. */
export function feedbackStoreContract(name: string, makeStore: () => FeedbackStore): void {
  describe(`${name} as a store of searches and feedback`, () => {
    test("finds a search by its id; a repeated insertion changes nothing", async () => {
      const store = makeStore();
      const search = searchAt(NOW);
      await store.insertSearch(search);
      await store.insertSearch({ ...search, creditsUsed: 99 });
      expect(await store.findSearch(search.id)).toEqual(search);
      expect(await store.findSearch("none")).toBeUndefined();
    });

    test("deletes searches that are older than a moment, up to a limit", async () => {
      const store = makeStore();
      const old = [1, 2, 3].map(searchAt);
      const recent = searchAt(NOW);
      for (const search of [...old, recent]) await store.insertSearch(search);
      expect(await store.purgeSearches(1000, 2)).toBe(2);
      expect(await store.purgeSearches(1000, 2)).toBe(1);
      expect(await store.findSearch(recent.id)).toEqual(recent);
    });

    test("counts the first feedback on a response, of each team and endpoint", async () => {
      const store = makeStore();
      const first = someFeedback();
      const { id, keyId, creditsRefunded, createdAtMs } = first;
      const kept = { id, keyId, creditsRefunded, createdAtMs };
      expect(await store.add(first, CAP)).toEqual({ ...kept, isNew: true });
      expect(await store.add(first, CAP)).toEqual({ ...kept, isNew: true });
      expect(await store.add({ ...first, id: "later", keyId: "other" }, CAP)).toEqual({ ...kept, isNew: false });
      const elsewhere = { ...first, id: crypto.randomUUID(), endpoint: "scrape" };
      expect(await store.add(elsewhere, CAP)).toEqual({ ...kept, id: elsewhere.id, isNew: true });
    });

    test("refunds no more than the limit, however many are given at once", async () => {
      const store = makeStore();
      const { teamId } = someFeedback();
      const cap = { ...CAP, credits: 5, sinceMs: NOW - 10 };
      await store.add(someFeedback({ teamId, createdAtMs: NOW - 11, creditsRefunded: 5 }), cap);
      const given = Array.from({ length: 4 }, () => store.add(someFeedback({ teamId, creditsRefunded: 2 }), cap));
      const refunds = (await Promise.all(given)).map((kept) => kept?.creditsRefunded);
      expect(refunds.toSorted()).toEqual([0, 1, 2, 2]);
      expect(await store.refundedSince(teamId, NOW - 10)).toBe(5);
    });

    test("stores no more of a team than a number and a size since a moment, however many are given at once", async () => {
      const store = makeStore();
      const { teamId } = someFeedback();
      await store.add(someFeedback({ teamId, createdAtMs: NOW - 11, bodyJson: "0123456789" }), CAP);
      const cap = { ...CAP, items: 2, sinceMs: NOW - 10 };
      const first = someFeedback({ teamId, bodyJson: '"éé"' });
      expect(await store.add(first, cap)).toMatchObject({ id: first.id, isNew: true });
      const others = await Promise.all([1, 2, 3].map(() => store.add(someFeedback({ teamId }), cap)));
      expect(others.filter((kept) => kept !== undefined)).toHaveLength(1);
      expect(await store.add({ ...first, id: "later" }, cap)).toMatchObject({ id: first.id, isNew: false });
      // Six bytes of the first one, and two of the second.
      expect(await store.add(someFeedback({ teamId }), { ...cap, items: 9, bytes: 8 })).toBeUndefined();
      expect(await store.add(someFeedback({ teamId }), { ...cap, items: 9, bytes: 9 })).toBeDefined();
      expect(await store.add(someFeedback(), cap)).toBeDefined();
    });

    test("deletes feedback that is older than a moment, up to a limit", async () => {
      const store = makeStore();
      const old = [1, 2, 3].map((createdAtMs) => someFeedback({ createdAtMs }));
      const recent = someFeedback();
      for (const feedback of [...old, recent]) await store.add(feedback, CAP);
      expect(await store.purgeFeedback(1000, 2)).toBe(2);
      expect(await store.purgeFeedback(1000, 2)).toBe(1);
      expect(await store.purgeFeedback(1000, 2)).toBe(0);
      expect(await store.add({ ...recent, id: "later" }, CAP)).toMatchObject({ id: recent.id, isNew: false });
    });

    test("sums the refunds of a team since a moment", async () => {
      const store = makeStore();
      const { teamId } = someFeedback();
      await store.add(someFeedback({ teamId, createdAtMs: NOW - 10, creditsRefunded: 3 }), CAP);
      await store.add(someFeedback({ teamId, createdAtMs: NOW, creditsRefunded: 2 }), CAP);
      await store.add(someFeedback({ creditsRefunded: 50 }), CAP);
      expect(await store.refundedSince(teamId, NOW - 10)).toBe(5);
      expect(await store.refundedSince(teamId, NOW - 9)).toBe(2);
      expect(await store.refundedSince("no team", 0)).toBe(0);
    });
  });
}
