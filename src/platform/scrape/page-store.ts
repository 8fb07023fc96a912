import type { RowKey } from "../../core/scrape/scrape-id.ts";
import type { ScrapedPage } from "../../ports/storage/stores.ts";
import {
  PageShard,
  type FoundRow,
  type FoundScrape,
  type KeptRow,
  type PageQuery,
  type PagesQuery,
  type Retention,
  type ShardRow,
} from "../../storage/scrape/page-shard.ts";
import { lastingAlarm } from "../lasting-alarm.ts";
import { MeasuredObject } from "../metering/measured-object.ts";

/** One shard of a team's scrapes and cached pages. Its alarm drops the tables whose time is over. */
export class PageStore extends MeasuredObject {
  readonly #shard: PageShard;
  #alarmAtMs: number | null | undefined;

  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    super(state, env);
    this.#shard = new PageShard(this.sql);
  }

  async keep(row: ShardRow, retention: Retention): Promise<KeptRow> {
    const replaced = this.#shard.keep(row, retention, Date.now());
    await this.#setAlarm();
    return { bytes: this.ctx.storage.sql.databaseSize, replaced };
  }

  findPage(query: PageQuery): FoundRow | undefined {
    return this.#shard.findPage(query);
  }

  findScrape(row: RowKey): FoundScrape | undefined {
    return this.#shard.findScrape(row);
  }

  pagesOf(host: string, query: PagesQuery): ScrapedPage[] {
    return this.#shard.pagesOf(host, query);
  }

  override async alarm(): Promise<void> {
    // There is no alarm any more, also when the handler fails.
    this.#alarmAtMs = null;
    await lastingAlarm(this.ctx.storage, async () => {
      this.#shard.dropExpired(Date.now());
      await this.#setAlarm();
    });
  }

  /** Sets the alarm to the next expiry, once for each new table. */
  async #setAlarm(): Promise<void> {
    const next = this.#shard.nextExpiryMs;
    if (next === undefined) return;
    const current = (this.#alarmAtMs ??= await this.ctx.storage.getAlarm());
    if (current !== null && current <= next) return;
    this.#alarmAtMs = next;
    await this.ctx.storage.setAlarm(next);
  }
}
