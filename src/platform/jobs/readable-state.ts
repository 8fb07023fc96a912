import { logEvent } from "../log-event.ts";

const DAY_MS = 86_400_000;

/**
 * Returns the state of a job for its alarm. When it cannot be read, a worker run is started to end the job; the alarm
 * comes again a day later, for a version that can read the state.
 */
export async function readableState<State>(
  storage: Pick<DurableObjectStorage, "setAlarm">,
  read: () => State | undefined,
  run: () => Promise<void>,
): Promise<State | undefined> {
  try {
    return read();
  } catch (error) {
    logEvent({ event: "state_unreadable", message: String(error) });
    await storage.setAlarm(Date.now() + DAY_MS);
    await run();
    return undefined;
  }
}
