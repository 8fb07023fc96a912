import type { OpenOptions } from "../../content/page-view.ts";
import type { Owner } from "../../core/fair-order.ts";
import type { OcrEngine } from "../../ports/ocr-engine.ts";

/** Time that is left for laying out the recognised text, and for the formats. */
const LAYOUT_MS = 3_000;

const NO_DESCRIPTIONS = Promise.resolve({ texts: [] });

/** Returns the options for opening a page with the engine that recognises text, if there is one. */
export function withRecogniser(
  open: OpenOptions,
  engine: OcrEngine | undefined,
  { deadlineMs, owner }: { deadlineMs: number; owner: Owner },
): OpenOptions {
  if (engine === undefined) return open;
  const bounds = { owner, deadlineMs: deadlineMs - LAYOUT_MS };
  return {
    ...open,
    recognise: (file) => engine.recognise({ ...file, ...bounds }),
    ...(engine.describe && { describe: (file) => engine.describe?.({ ...file, ...bounds }) ?? NO_DESCRIPTIONS }),
  };
}
