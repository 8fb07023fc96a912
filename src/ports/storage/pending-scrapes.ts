import type { Task } from "../../core/jobs/task.ts";

type PromisedTask = Extract<Task, { type: "scrape_page" }>;

export interface PendingScrape {
  /** Undefined when this version cannot read it. */
  task: PromisedTask | undefined;
  id: string;
  /** Times that it was queued again. */
  resent: number;
  createdAtMs: number;
}

/** Messages of queued scrapes that have not ended, where the queue itself does not outlive its process. */
export interface PendingScrapes {
  /** Inserts scrapes; does not change existing rows. */
  add(tasks: readonly PromisedTask[], createdAtMs: number): Promise<void>;
  /** Lists ids after one of them, in their order. */
  ids(options: { after: string; limit: number }): Promise<string[]>;
  find(ids: readonly string[]): Promise<PendingScrape[]>;
  /** Notes that scrapes are queued again. */
  noteResent(ids: readonly string[]): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
}
