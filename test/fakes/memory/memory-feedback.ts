import type { Feedback, FeedbackStore, SearchRecord } from "../../../src/ports/search/feedback.ts";

/** Searches and feedback in memory. */
export function memoryFeedback(): FeedbackStore {
  const searches = new Map<string, SearchRecord>();
  const given = new Map<string, Feedback>();
  return {
    async insertSearch(search) {
      if (!searches.has(search.id)) searches.set(search.id, search);
    },
    findSearch: async (id) => searches.get(id),
    async add(feedback) {
      const key = `${feedback.teamId} ${feedback.endpoint} ${feedback.jobId}`;
      const known = given.get(key);
      if (known === undefined) given.set(key, feedback);
      const id = known?.id ?? feedback.id;
      return { id, isNew: id === feedback.id };
    },
    async refundedSince(teamId, sinceMs) {
      const own = [...given.values()].filter((one) => one.teamId === teamId && one.createdAtMs >= sinceMs);
      return own.reduce((sum, { creditsRefunded }) => sum + creditsRefunded, 0);
    },
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
