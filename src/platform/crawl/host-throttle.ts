import { z } from "zod";
import { readReplaceable } from "../../core/stored-state.ts";
import {
  HostState,
  isWorthKeeping,
  NEW_HOST,
  report,
  reserve,
  waitsUntilMs,
  type HostReport,
  type Wanted,
} from "../../core/crawl/host-throttle.ts";
import { hasTable } from "../has-table.ts";
import { MeasuredObject } from "../metering/measured-object.ts";

/** Time without a call after which the state of a host is deleted. */
const FORGET_MS = 3_600_000;

const StoredHost = HostState.extend({
  /** Time of the call that wrote the row. */
  usedAtMs: z.number().default(0),
});

/**
 * Decides when the pages of one host may be requested, one object per host. Its state is in memory; a row is written
 * only when the host must be left alone for longer than an idle object may stay in memory. An object without a row has no
 * storage, and one that nobody has called for an hour deletes its own.
 */
export class HostThrottle extends MeasuredObject {
  #state: HostState;
  #isKept: boolean;
  /** Time of the last call; after an eviction, that of the last one that wrote the row. */
  #usedAtMs: number;

  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    super(state, env);
    const { sql } = state.storage;
    const [row] = hasTable(sql, "host") ? sql.exec<{ state: string }>("SELECT state FROM host") : [];
    this.#isKept = row !== undefined;
    const { usedAtMs, ...host } = (row && readReplaceable(StoredHost, row.state)) ?? { ...NEW_HOST, usedAtMs: 0 };
    this.#state = host;
    this.#usedAtMs = usedAtMs;
  }

  override async alarm(): Promise<void> {
    const nowMs = Date.now();
    const forgetAtMs = Math.max(this.#usedAtMs + FORGET_MS, waitsUntilMs(this.#state));
    if (this.#isKept && forgetAtMs > nowMs) return await this.ctx.storage.setAlarm(forgetAtMs);
    this.#state = NEW_HOST;
    this.#isKept = false;
    await this.ctx.storage.deleteAll();
  }

  reserve(_host: string, count: number, options: Omit<Wanted, "count">): number[] {
    const nowMs = Date.now();
    const { startsAtMs, state } = reserve(this.#state, { ...options, count }, nowMs);
    this.#keep(state, nowMs);
    return startsAtMs;
  }

  report(_host: string, outcome: HostReport): void {
    const nowMs = Date.now();
    this.#keep(report(this.#state, outcome, nowMs), nowMs);
  }

  #keep(state: HostState, nowMs: number): void {
    const previous = this.#state;
    this.#state = state;
    this.#usedAtMs = nowMs;
    const isWorthy = isWorthKeeping(state, nowMs);
    if (isWorthy && JSON.stringify(state) !== JSON.stringify(previous)) {
      if (!this.#isKept) this.#create(nowMs);
      const row = JSON.stringify({ ...state, usedAtMs: nowMs });
      this.sql.rows("INSERT OR REPLACE INTO host (part, state) VALUES ('state', ?)", row);
      this.#isKept = true;
    } else if (!isWorthy && this.#isKept) {
      this.#isKept = false;
      this.ctx.waitUntil(this.ctx.storage.deleteAll());
    }
  }

  /** Creates the storage, and the alarm that deletes it. */
  #create(nowMs: number): void {
    this.sql.rows("CREATE TABLE IF NOT EXISTS host (part TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID");
    this.ctx.waitUntil(this.ctx.storage.setAlarm(nowMs + FORGET_MS));
  }
}
