import { DurableObject } from "cloudflare:workers";
import type { Task } from "../../core/jobs/task.ts";

/** Slightly longer than the lease of a worker run, so that an interrupted run is followed by the next one at once. */
const ROUND_MS = 13_000;
/** A check takes a few hours at most; after this many rounds only the monitor's schedule starts it again. */
const MAX_ROUNDS = 2_000;

/**
 * Keeps a monitor's check running until it ends, one object per check: it sends a task in every round. A worker run
 * that is not needed, because another one is at work, ends at once.
 */
export class CheckAlarm extends DurableObject<{ TASKS: Queue<Task> }> {
  async watch(): Promise<void> {
    this.ctx.storage.kv.put("rounds", 0);
    await this.ctx.storage.setAlarm(Date.now() + ROUND_MS);
  }

  async forget(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  override async alarm(): Promise<void> {
    const rounds = this.ctx.storage.kv.get<number>("rounds");
    const { name: checkId } = this.ctx.id;
    if (rounds === undefined || checkId === undefined || rounds >= MAX_ROUNDS) return await this.forget();
    this.ctx.storage.kv.put("rounds", rounds + 1);
    await this.ctx.storage.setAlarm(Date.now() + ROUND_MS);
    await this.env.TASKS.send({ type: "check_monitor", checkId });
  }
}
