import { toReceipt } from "../../src/core/account/receipt.ts";
import type { Deps } from "../../src/services/deps.ts";

/** Writes a piece of work down as the edge does when the work is over: with what the meter has counted for it. */
export async function writeDown(
  { keyLedger, meter }: Pick<Deps, "keyLedger" | "meter">,
  { keyId, holdId }: { keyId: string; holdId: string },
): Promise<void> {
  await keyLedger.record(keyId, {
    requestId: holdId, id: holdId, endpoint: "scrape", apiVersion: "v2", target: null, ms: 0, hasFailed: false, pages: 0,
    receipt: toReceipt(meter.take()),
  }); // prettier-ignore
}
