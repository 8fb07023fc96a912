/** A tracked page: each team and each tag has a separate history. */
export interface TrackedPage {
  teamId: string;
  url: string;
  tag: string | null;
}

/** State of a page when it was last tracked. */
export interface PageSnapshot {
  scrapedAtMs: number;
  markdown: string;
  /** Data extracted from the page, and the hash of the options (schema and prompt) that it was extracted with. */
  extracted?: { optionsHash: string; value: unknown };
  /** Id of the work that took the snapshot, and the state before it: repeated work is compared with that state. */
  takenBy?: { work: string; before?: Omit<PageSnapshot, "takenBy"> };
}

/** The last state of every page that a team tracks. */
export interface ChangeHistory {
  find(page: TrackedPage): Promise<PageSnapshot | undefined>;
  /** Stores a state; replaces the earlier one. */
  save(page: TrackedPage, snapshot: PageSnapshot): Promise<void>;
  /** Deletes states taken before a moment. @returns the number deleted; `limit` or more when others may remain. */
  purge(scrapedBeforeMs: number, limit: number): Promise<number>;
}
