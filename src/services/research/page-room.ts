import { z } from "zod";
import { ownerOf } from "../../core/fair-order.ts";
import { MAX_RUN_BYTES } from "../../jobs/research/read-page.ts";
import type { StepRun } from "./step-run.ts";

/** However many jobs run, each keeps as much: some pages of ordinary length. */
const LEAST_BYTES = 2_000_000;
/** Part of the room that is left, which a job takes. */
const PART = 1 / 2;

/**
 * Takes room for the pages of a job, until its run ends. How much it is, is decided once: a repeated run reads the same parts
 * of its pages.
 */
export async function roomForPages(run: StepRun): Promise<number> {
  const { stepPages } = run.deps;
  const owner = ownerOf(run.specification.key);
  let isHeld = false;
  const hold = (bytes: number): void => {
    if (!isHeld) run.atEnd(stepPages.hold(owner, bytes));
    isHeld = true;
  };
  const decide = async () => {
    const left = Math.floor(stepPages.roomFor(owner) * PART);
    const value = Math.min(MAX_RUN_BYTES, Math.max(LEAST_BYTES, left));
    // Before the result is stored: other jobs begin meanwhile.
    hold(value);
    return { value, credits: 0 };
  };
  const bytes = await run.step("room for pages", decide, { result: z.number() });
  hold(bytes);
  return bytes;
}
