import { utf8Length } from "../../../src/core/text/utf8.ts";
import type { Feedback, FeedbackCap, FeedbackStore, SearchRecord } from "../../../src/ports/search/feedback.ts";

/** Searches and feedback in memory. */
export function memoryFeedback(): FeedbackStore {
  const searches = new Map<string, SearchRecord>();
  const given = new Map<string, Feedback>();
  const ownSince = (teamId: string, sinceMs: number): Feedback[] =>
    [...given.values()].filter((one) => one.teamId === teamId && one.createdAtMs >= sinceMs);
  const refunded = (teamId: string, sinceMs: number): number =>
    ownSince(teamId, sinceMs).reduce((sum, { creditsRefunded }) => sum + creditsRefunded, 0);
  const isFull = (teamId: string, { items, bytes, sinceMs }: FeedbackCap): boolean => {
    const own = ownSince(teamId, sinceMs);
    return own.length >= items || own.reduce((sum, { bodyJson }) => sum + utf8Length(bodyJson), 0) >= bytes;
  };
  return {
    async insertSearch(search) {
      if (!searches.has(search.id)) searches.set(search.id, search);
    },
    findSearch: async (id) => searches.get(id),
    async add(feedback, cap) {
      const { credits, sinceMs } = cap;
      const name = `${feedback.teamId} ${feedback.endpoint} ${feedback.jobId}`;
      const left = Math.max(0, credits - refunded(feedback.teamId, sinceMs));
      if (!given.has(name) && isFull(feedback.teamId, cap)) return undefined;
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
