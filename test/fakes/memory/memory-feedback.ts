import type { Feedback, FeedbackStore, SearchRecord } from "../../../src/ports/search/feedback.ts";

/** Searches and feedback in memory. */
export function memoryFeedback(): FeedbackStore {
  const searches = new Map<string, SearchRecord>();
  const given = new Map<string, Feedback>();
  const refunded = (teamId: string, sinceMs: number): number => {
    const own = [...given.values()].filter((one) => one.teamId === teamId && one.createdAtMs >= sinceMs);
    return own.reduce((sum, { creditsRefunded }) => sum + creditsRefunded, 0);
  };
  return {
    async insertSearch(search) {
      if (!searches.has(search.id)) searches.set(search.id, search);
    },
    findSearch: async (id) => searches.get(id),
    async add(feedback, { credits, sinceMs }) {
      const name = `${feedback.teamId} ${feedback.endpoint} ${feedback.jobId}`;
      const left = Math.max(0, credits - refunded(feedback.teamId, sinceMs));
      const kept = given.get(name) ?? { ...feedback, creditsRefunded: Math.min(feedback.creditsRefunded, left) };
      given.set(name, kept);
      const { id, keyId, creditsRefunded, createdAtMs } = kept;
      return { id, keyId, creditsRefunded, createdAtMs, isNew: id === feedback.id };
    },
    refundedSince: async (teamId, sinceMs) => refunded(teamId, sinceMs),
    async purgeSearches(createdBeforeMs, limit) {
      const old = [...searches.values()].filter(({ createdAtMs }) => createdAtMs < createdBeforeMs).slice(0, limit);
      for (const { id } of old) searches.delete(id);
      return old.length;
    },
    async purgeFeedback(createdBeforeMs, limit) {
      const old = [...given].filter(([, { createdAtMs }]) => createdAtMs < createdBeforeMs).slice(0, limit);
      for (const [key] of old) given.delete(key);
      return old.length;
    },
  };
}
