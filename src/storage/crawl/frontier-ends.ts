import type { Sql } from "../../ports/storage/sql.ts";
import { utf8Length } from "../../core/text/utf8.ts";
import { parseStored, startsWith } from "../../core/stored-state.ts";
import type { PageVersion } from "../../core/crawl/page-version.ts";

/**
 * Number of URLs whose ends share a row. Pages are scraped nearly in the order in which they were found, so that the
 * pages of one report touch one row or two.
 */
const BLOCK = 256;
/** Of an end: a site chooses its URLs and validators, and a value of the platform's databases has 2 MB at most. */
const MAX_END_BYTES = 4_000;

/** End of a scraped page: the number of its document, as in `urls.document`, and the difference to the earlier job. */
export type PageEnd = [document: number, version: PageVersion | null, change: string | null, detail: string | null];

const isPageEnd = (value: unknown): value is PageEnd => startsWith(value, ["number"]);

type Block = Record<string, PageEnd>;

/**
 * Ends of scraped pages, by their seats (`urls.seat`). The row of a scraped URL is not written a second time: it stays as
 * it was found, and its end stands in a packed row with those of its neighbours. Rows are read once; `write` writes the
 * changed ones.
 */
export class PageEnds {
  readonly #sql: Sql;
  readonly #blocks = new Map<number, Block>();
  readonly #changed = new Set<number>();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** @param seat seat of the URL; null for one of an older version, whose row has its end. */
  get(seat: number | null): PageEnd | undefined {
    return seat === null ? undefined : this.#blockOf(seat)[seat % BLOCK];
  }

  /** @returns false for an end that is too large for a shared row; nothing is stored then. */
  put(seat: number, end: PageEnd): boolean {
    if (utf8Length(JSON.stringify(end)) > MAX_END_BYTES) return false;
    this.#blockOf(seat)[seat % BLOCK] = end;
    this.#changed.add(Math.floor(seat / BLOCK));
    return true;
  }

  write(): void {
    for (const number of this.#changed) {
      const entries = JSON.stringify(this.#blocks.get(number));
      this.#sql.rows("INSERT OR REPLACE INTO ends (block, entries) VALUES (?, ?)", number, entries);
    }
    this.#changed.clear();
  }

  #blockOf(seat: number): Block {
    const number = Math.floor(seat / BLOCK);
    const known = this.#blocks.get(number);
    if (known !== undefined) return known;
    const [row] = this.#sql.rows<{ entries: string }>("SELECT entries FROM ends WHERE block = ?", number);
    const stored = row === undefined ? {} : parseStored(row.entries, "frontier");
    const entries = Object.entries(typeof stored === "object" && stored !== null ? stored : {});
    const block: Block = Object.fromEntries(entries.filter((entry): entry is [string, PageEnd] => isPageEnd(entry[1])));
    this.#blocks.set(number, block);
    return block;
  }
}
