import { z } from "zod";
import { mergeSamples, type Samples } from "../../core/metrics/metrics.ts";
import { readReplaceable } from "../../core/stored-state.ts";
import { DurableObject } from "cloudflare:workers";

const Stored = z.record(z.string(), z.number());
/** Time that counts stay in memory alone: a crash loses them, and each write is a row. */
const WRITE_DELAY_MS = 2_000;

/**
 * The counters of the service, one object for all isolates. Isolates and other objects send what they have counted
 * within two seconds; the sum is stored as one row.
 */
export class ServiceMetrics extends DurableObject {
  readonly #samples: Samples = {};
  #isWriting = false;

  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    super(state, env);
    const { sql } = state.storage;
    sql.exec("CREATE TABLE IF NOT EXISTS metrics (part TEXT PRIMARY KEY, samples TEXT NOT NULL) WITHOUT ROWID");
    const [row] = sql.exec<{ samples: string }>("SELECT samples FROM metrics");
    mergeSamples(this.#samples, (row && readReplaceable(Stored, row.samples)) ?? {});
  }

  add(samples: Samples): void {
    mergeSamples(this.#samples, samples);
    if (this.#isWriting) return;
    this.#isWriting = true;
    setTimeout(() => this.#write(), WRITE_DELAY_MS);
  }

  samples(): Samples {
    return this.#samples;
  }

  #write(): void {
    this.#isWriting = false;
    const text = JSON.stringify(this.#samples);
    this.ctx.storage.sql.exec("INSERT OR REPLACE INTO metrics (part, samples) VALUES ('all', ?)", text);
  }
}
