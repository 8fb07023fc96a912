import { z } from "zod";
import { PageSource } from "../../core/scrape/page-source.ts";

/** A tracked page: each team and each tag has a separate history. */
export interface TrackedPage {
  teamId: string;
  url: string;
  tag: string | null;
}

const Snapshot = z.object({
  scrapedAtMs: z.number(),
  markdown: z.string(),
  /**
   * Data extracted from the page, and the hashes of the options (schema and prompt) that it was extracted with, and of
   * the structured data that it was extracted from; older snapshots lack the latter.
   */
  extracted: z
    .object({ optionsHash: z.string(), sourceHash: z.string().optional(), value: z.unknown().optional() })
    .optional(),
  /** Origin of the Markdown; older snapshots lack it. */
  source: PageSource.optional(),
});

/** State of a page when it was last tracked. */
export const PageSnapshot = Snapshot.extend({
  /** Id of the work that took the snapshot, and the state before it: repeated work is compared with that state. */
  takenBy: z.object({ work: z.string(), before: Snapshot.optional() }).optional(),
});
export type PageSnapshot = z.infer<typeof PageSnapshot>;

/** The last state of every page that a team tracks. */
export interface ChangeHistory {
  find(page: TrackedPage): Promise<PageSnapshot | undefined>;
  /** Stores a state; replaces the earlier one. */
  save(page: TrackedPage, snapshot: PageSnapshot): Promise<void>;
  /** Deletes states taken before a moment. @returns the number deleted; `limit` or more when others may remain. */
  purge(scrapedBeforeMs: number, limit: number): Promise<number>;
}
