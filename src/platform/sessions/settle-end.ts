import type { BrowserSessionEnv, SettlementStep, StoredSession, Unsettled } from "./stored-session.ts";
import { Meter } from "../../core/account/meter.ts";
import { sessionReceipt } from "../../core/account/receipt.ts";
import { sessionSlots } from "../../core/sessions/session-slots.ts";
import { durationMs, LEAST_SESSION_CREDITS, sessionCredits } from "../../sessions/life.ts";
import { createBrowserSessionStore } from "../../storage/sessions/browser-session-store.ts";
import { createKeyLedger } from "../account/key-ledger-port.ts";
import { sessionPool } from "./lease-browser.ts";
import { logEvent } from "../log-event.ts";

const STEPS: readonly SettlementStep[] = ["lease", "bill", "row", "slot"];

/**
 * Releases the browser, charges the remaining credits, stores the end and releases the key's slot. `note` receives the remaining
 * steps after each. A step that fails, or whose end was not noted, runs again: each has its effect once. The row waits for the
 * bill, since the ledger forgets the session's charge with it.
 * @returns the steps that failed
 */
export async function settleEnd(
  env: BrowserSessionEnv,
  kept: StoredSession,
  note: (left: Unsettled) => void,
): Promise<Unsettled> {
  let left = kept.unsettled;
  const isDone = (step: SettlementStep): void => {
    const { [step]: _done, ...rest } = left;
    left = rest;
    note(left);
  };
  for (const step of STEPS) {
    if (left[step] === undefined || (step === "row" && left.bill !== undefined)) continue;
    try {
      await perform(step, env, kept);
      isDone(step);
    } catch (error) {
      logEvent({ event: "session_settling_failed", step, reason: String(error) });
    }
  }
  return left;
}

async function perform(step: SettlementStep, env: BrowserSessionEnv, { life, leaseId }: StoredSession): Promise<void> {
  const { id, keyId, end, lastActivityMs } = life;
  const keyLedger = createKeyLedger(env.KEY_LEDGER, new Meter());
  switch (step) {
    case "lease":
      // A browser that is dead already is released all the same.
      return sessionPool(env).release(leaseId, "ok");
    case "slot":
      return keyLedger.releaseSlot(sessionSlots(keyId), id);
    case "bill": {
      const credits = sessionCredits(life, life.createdAtMs) - LEAST_SESSION_CREDITS;
      if (credits <= 0) return;
      // A total, which is charged once however often it is sent. A key whose monthly credits are used up is charged all
      // the same: the session was used, and the key can do nothing more until the next month.
      const total = { settled: credits, reserve: 0, unit: undefined, charged: 0, monthlyCredits: undefined };
      await keyLedger.chargeJob(keyId, { jobId: id, ...total });
      return;
    }
    case "row": {
      if (end === undefined) return;
      const credits = sessionCredits(life, end.atMs);
      await keyLedger.recordJob(keyId, {
        jobId: id,
        endpoint: "browser",
        createdAtMs: life.createdAtMs,
        pages: 0,
        hasFailed: false,
        receipt: sessionReceipt({
          durationMs: durationMs(life, end.atMs),
          credits: credits - LEAST_SESSION_CREDITS,
        }),
      });
      // The ledger has the charge, so the job need not be stored beside it.
      await keyLedger.releaseSlot(keyId, id);
      return createBrowserSessionStore(env.DB).end(id, { ...end, credits }, lastActivityMs);
    }
  }
}
