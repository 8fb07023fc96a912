/** A completed search. */
export interface SearchRecord {
  id: string;
  teamId: string;
  creditsUsed: number;
  createdAtMs: number;
}

/** A caller's rating of a response. */
export interface Feedback {
  id: string;
  teamId: string;
  keyId: string;
  endpoint: string;
  /** Id of the rated response. */
  jobId: string;
  rating: string;
  /** The complete feedback, as JSON. */
  bodyJson: string;
  creditsRefunded: number;
  createdAtMs: number;
}

export interface FeedbackStore {
  insertSearch(search: SearchRecord): Promise<void>;
  findSearch(id: string): Promise<SearchRecord | undefined>;
  /** Stores feedback. @returns the id of the feedback that counts: this one or an earlier one. */
  add(feedback: Feedback): Promise<{ id: string; isNew: boolean }>;
  /** Returns the credits refunded to a team since a moment. */
  refundedSince(teamId: string, sinceMs: number): Promise<number>;
  /** Deletes up to `limit` searches created before a moment, without their feedback. @returns the number deleted. */
  purgeSearches(createdBeforeMs: number, limit: number): Promise<number>;
  /** Deletes up to `limit` items of feedback created before a moment. @returns the number deleted. */
  purgeFeedback(createdBeforeMs: number, limit: number): Promise<number>;
}
