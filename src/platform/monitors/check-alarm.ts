import { DurableObject } from "cloudflare:workers";
import type { Task } from "../../core/jobs/task.ts";

/** A little longer than the lease of a turn, so that a turn that was cut off is followed by the next at once. */
const ROUND_MS = 13_000;
/** A check lasts hours at most; then the schedule's own rounds look after it. */
const MAX_ROUNDS = 2_000;

/**
 * Sees to it that a monitor's check is worked on until it ends, one object a check: it asks for a turn again and again. A
 * turn that is not needed, because another one is at work, ends at once.
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
