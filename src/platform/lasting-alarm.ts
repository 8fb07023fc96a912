import { logEvent } from "./log-event.ts";

/** Time after a failure until the alarm is tried again. */
const AGAIN_MS = 10_000;

/**
 * Handles an alarm. The platform repeats a handler that throws six times, within some two minutes, and forgets the alarm
 * then: work that waits for a queue, a bucket or another object would stop for ever. Here the alarm is set again after
 * every failure. Only a storage that cannot set it leaves it to the platform.
 */
export async function lastingAlarm(
  storage: Pick<DurableObjectStorage, "setAlarm">,
  handle: () => Promise<void>,
): Promise<void> {
  try {
    await handle();
  } catch (error) {
    logEvent({ event: "alarm_failed", reason: String(error) });
    await storage.setAlarm(Date.now() + AGAIN_MS);
  }
}
