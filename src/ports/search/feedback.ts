/** A search that was answered. */
export interface SearchRecord {
  id: string;
  teamId: string;
  creditsUsed: number;
  createdAtMs: number;
}

/** What a caller says about an answer. */
export interface Feedback {
  id: string;
  teamId: string;
  keyId: string;
  endpoint: string;
  /** The answer's id. */
  jobId: string;
  rating: string;
  /** Everything that was said, as JSON. */
  bodyJson: string;
  creditsRefunded: number;
  createdAtMs: number;
}

export interface FeedbackStore {
  insertSearch(search: SearchRecord): Promise<void>;
  findSearch(id: string): Promise<SearchRecord | undefined>;
  /** @returns the feedback that counts: this one, or the one that was given before. */
  add(feedback: Feedback): Promise<{ id: string; isNew: boolean }>;
  /** Credits given back to a team since a moment. */
  refundedSince(teamId: string, sinceMs: number): Promise<number>;
  /** Forgets up to `limit` searches from before a moment. What was said stays. @returns how many. */
  purgeSearches(createdBeforeMs: number, limit: number): Promise<number>;
}
