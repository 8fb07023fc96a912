import { LOW_CONFIDENCE } from "../../core/ocr/confidence.ts";
import type { RecognisedPage } from "../../core/ocr/recognised-page.ts";
import type { WorkBudget } from "../../core/work-budget.ts";
import type { DocumentContent } from "./document-content.ts";
import { readingOrder } from "./pdf/reading-order.ts";
import { runsOf } from "./pdf/pages/recognised-runs.ts";
import { toContent } from "./pdf/to-content.ts";

const UNCERTAIN = "The text of the picture was recognised with low confidence; it may be wrong.";
const NO_WORDS = "The picture has no words.";

/** Lays out the text that was recognised in a picture. */
export function readPicture(page: RecognisedPage, url: string, budget: WorkBudget): DocumentContent {
  const { width, height, confidence } = page;
  const regions = readingOrder(runsOf(page), budget);
  const content = toContent([{ pageNumber: 1, width, height, regions, asides: [], rules: [] }], url, {}, budget);
  const warning = content.markdown === "" ? NO_WORDS : confidence < LOW_CONFIDENCE ? UNCERTAIN : undefined;
  const metadata = { imageWidth: Math.round(width), imageHeight: Math.round(height) };
  return { ...content, metadata, ...(warning === undefined ? {} : { warning }) };
}
