import type { PageQuery } from "../../ports/search/page-index.ts";
import {
  IndexShard,
  type DueEntries,
  type IndexLayout,
  type PutAnswer,
  type PutOptions,
  type ShardHits,
  type ShardSize,
} from "../../storage/search/index-shard.ts";
import type { IndexEntry } from "../../storage/search/index-partition.ts";
import { lastingAlarm } from "../lasting-alarm.ts";
import { MeasuredObject } from "../metering/measured-object.ts";

/** One shard of a team's search index. Its alarm drops the partitions whose time is over. */
export class SearchIndex extends MeasuredObject {
  readonly #shard: IndexShard;
  #alarmAtMs: number | null | undefined;

  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    super(state, env);
    this.#shard = new IndexShard(this.sql, () => state.storage.sql.databaseSize);
  }

  async put(entries: readonly IndexEntry[], options: PutOptions): Promise<PutAnswer> {
    const answer = this.#shard.put(entries, options);
    await this.#setAlarm();
    return answer;
  }

  due(marks: readonly string[], times: { nowMs: number; retentionMs: number }): DueEntries {
    return this.#shard.due(marks, times);
  }

  remove(marks: readonly string[]): void {
    this.#shard.remove(marks);
  }

  search(query: PageQuery): ShardHits {
    return this.#shard.search(query);
  }

  size(): ShardSize {
    return this.#shard.size();
  }

  adopt(layout: IndexLayout): void {
    this.#shard.adopt(layout);
  }

  override async alarm(): Promise<void> {
    // There is no alarm any more, also when the handler fails.
    this.#alarmAtMs = null;
    await lastingAlarm(this.ctx.storage, async () => {
      this.#shard.dropExpired(Date.now());
      await this.#setAlarm();
    });
  }

  /** Sets the alarm to the next expiry, once for each new partition. */
  async #setAlarm(): Promise<void> {
    const next = this.#shard.nextExpiryMs;
    if (next === undefined) return;
    const current = (this.#alarmAtMs ??= await this.ctx.storage.getAlarm());
    if (current !== null && current <= next) return;
    this.#alarmAtMs = next;
    await this.ctx.storage.setAlarm(next);
  }
}
