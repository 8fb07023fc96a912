import { FairAdmission } from "../../../core/waits/fair-admission.ts";

/** Browsers whose turns an isolate remembers; of more, the oldest are forgotten. */
const MAX_BROWSERS = 100;
const browsers = new Map<string, FairAdmission>();

/**
 * Returns the turns in which large pictures of a browser's pages are taken. A browser draws one after the other in any case:
 * eight at once take as long as eight in turn, and all of them end at the end of that time.
 */
export function captureTurnsOf(browserId: string): FairAdmission {
  const known = browsers.get(browserId);
  if (known !== undefined) return known;
  const [oldest = ""] = browsers.keys();
  if (browsers.size >= MAX_BROWSERS) browsers.delete(oldest);
  const turns = new FairAdmission({ places: 1, isProcessorBusy: () => true });
  browsers.set(browserId, turns);
  return turns;
}
