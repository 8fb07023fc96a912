import { messagesNeeded, RUN_LIFE_MS } from "../../core/crawl/dispatch.ts";
import { isToClose, type FrontierState } from "../../core/crawl/frontier.ts";
import { expiryOf, lastMomentOf } from "../../core/crawl/frontier-life.ts";
import type { Outlook } from "../../storage/crawl/frontier-outlook.ts";
import { forgetTime } from "./forget-in-object.ts";

/**
 * Returns the time at which a job's object has something to do (Unix time in ms): the next work, event, deletion or expiry.
 * @param open worker runs that are open; work that waits for them is looked at again when the first may be lost
 * @param firstEndMs time at which the first of them counts as lost (Unix time in ms)
 * @param room further runs that the process has room for
 */
export function wakeTime(
  state: FrontierState,
  { claimable, workMs, eventMs }: Outlook,
  { open, firstEndMs, room, nowMs }: { open: number; firstEndMs: number | undefined; room: number; nowMs: number },
): number {
  const isShort = messagesNeeded({ claimable, maxConcurrency: state.config.maxConcurrency, open, room }) > 0;
  const hasEnded = isToClose(state);
  const forgetMs = forgetTime(state, eventMs);
  return Math.min(
    state.status === "scraping" ? lastMomentOf(state) : expiryOf(state),
    ...(workMs === undefined ? [] : [workMs]),
    ...(forgetMs === undefined ? [] : [forgetMs]),
    ...(claimable === 0 || firstEndMs === undefined ? [] : [firstEndMs]),
    ...(eventMs === undefined ? [] : [open > 0 ? Math.max(eventMs, nowMs + RUN_LIFE_MS) : eventMs]),
    ...(isShort || (hasEnded && open === 0) ? [nowMs] : []),
    ...(hasEnded && open > 0 ? [nowMs + RUN_LIFE_MS] : []),
  );
}

/** Returns the number of further worker runs. A due event, or an end to report, needs one as well. */
export function runsWanted(
  state: FrontierState,
  { claimable, eventMs }: Outlook,
  { open, room, nowMs }: { open: number; room: number; nowMs: number },
): number {
  const hasErrands = (eventMs !== undefined && eventMs <= nowMs) || isToClose(state);
  return Math.max(
    messagesNeeded({ claimable, maxConcurrency: state.config.maxConcurrency, open, room }),
    hasErrands && open === 0 ? 1 : 0,
  );
}
