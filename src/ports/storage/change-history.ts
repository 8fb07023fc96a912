/** Which page is followed: each team and each tag has a history of its own. */
export interface TrackedPage {
  teamId: string;
  url: string;
  tag: string | null;
}

/** What a page was when it was last tracked. */
export interface PageSnapshot {
  scrapedAtMs: number;
  markdown: string;
  /** Data that was read out of it, and the hash of the wish (schema and prompt) that it answers. */
  extracted?: { optionsHash: string; value: unknown };
  /** What took the snapshot, and the state before: work that is done once more is compared with that, not with itself. */
  takenBy?: { work: string; before?: Omit<PageSnapshot, "takenBy"> };
}

/** The last state of every page that a team follows. */
export interface ChangeHistory {
  find(page: TrackedPage): Promise<PageSnapshot | undefined>;
  /** Takes the place of the earlier state. */
  save(page: TrackedPage, snapshot: PageSnapshot): Promise<void>;
  /** Forgets states taken before a moment. @returns how many; `limit` or more when there may be others. */
  purge(scrapedBeforeMs: number, limit: number): Promise<number>;
}
