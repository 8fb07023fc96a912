import { z } from "zod";
import type { Evidence } from "../core/scrape/evidence.ts";

/** Option of formats that extract data: with true the document has the source of each value in `evidence`. */
export const EvidenceOption = z
  .boolean()
  .optional()
  .describe("Adds `evidence`: the URL, quote and place of each extracted value. Default: false.");

/** Returns the field `evidence` if it was requested, otherwise no field. */
export function evidenceField(evidence: Evidence[], isRequested: boolean | undefined): { evidence?: Evidence[] } {
  return isRequested === true ? { evidence } : {};
}
