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

/** Limits of the feedback of a team since a moment. */
export interface FeedbackCap {
  /** Limit of the refunds, in credits. */
  credits: number;
  items: number;
  /** Bytes of all bodies. A body is stored while there are fewer. */
  bytes: number;
  /** Ms since the epoch. */
  sinceMs: number;
}

/** The feedback on a response that counts. */
export interface KeptFeedback extends Pick<Feedback, "id" | "keyId" | "creditsRefunded" | "createdAtMs"> {
  /** True for the feedback that was handed in. */
  isNew: boolean;
}

export interface FeedbackStore {
  insertSearch(search: SearchRecord): Promise<void>;
  findSearch(id: string): Promise<SearchRecord | undefined>;
  /**
   * Stores feedback, with so much of its refund that the refunds of the team since a moment stay within a limit. Feedback
   * that is stored at the same time counts too.
   * @returns the feedback that counts, this one or an earlier one; undefined when the team has given as much as it may.
   */
  add(feedback: Feedback, cap: FeedbackCap): Promise<KeptFeedback | undefined>;
  /** Returns the credits refunded to a team since a moment. */
  refundedSince(teamId: string, sinceMs: number): Promise<number>;
  /** Deletes up to `limit` searches created before a moment, without their feedback. @returns the number deleted. */
  purgeSearches(createdBeforeMs: number, limit: number): Promise<number>;
  /** Deletes up to `limit` items of feedback created before a moment. @returns the number deleted. */
  purgeFeedback(createdBeforeMs: number, limit: number): Promise<number>;
}
