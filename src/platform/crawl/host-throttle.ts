import { readReplaceable } from "../../core/stored-state.ts";
import {
  HostState,
  isWorthKeeping,
  NEW_HOST,
  report,
  reserve,
  type HostReport,
} from "../../core/crawl/host-throttle.ts";
import { MeasuredObject } from "../metering/measured-object.ts";

/**
 * Decides when the pages of one host may be requested, one object per host. Its state is in memory; a row is written
 * only when the host must be left alone for longer than an idle object may stay in memory.
 */
export class HostThrottle extends MeasuredObject {
  #state: HostState;
  #isKept: boolean;

  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    super(state, env);
    const { sql } = state.storage;
    sql.exec("CREATE TABLE IF NOT EXISTS host (part TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID");
    const [row] = sql.exec<{ state: string }>("SELECT state FROM host");
    this.#isKept = row !== undefined;
    this.#state = (row && readReplaceable(HostState, row.state)) ?? NEW_HOST;
  }

  reserve(_host: string, count: number, { delayMs }: { delayMs: number }): number[] {
    const nowMs = Date.now();
    const { startsAtMs, state } = reserve(this.#state, { count, delayMs }, nowMs);
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
    const isWorthy = isWorthKeeping(state, nowMs);
    if (isWorthy && JSON.stringify(state) !== JSON.stringify(previous)) {
      this.sql.rows("INSERT OR REPLACE INTO host (part, state) VALUES ('state', ?)", JSON.stringify(state));
      this.#isKept = true;
    } else if (!isWorthy && this.#isKept) {
      this.sql.rows("DELETE FROM host");
      this.#isKept = false;
    }
  }
}
