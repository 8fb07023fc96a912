import { LOW_CONFIDENCE } from "../../core/ocr/confidence.ts";
import type { RecognisedPage } from "../../core/ocr/recognised-page.ts";
import type { WorkBudget } from "../../core/work-budget.ts";
import type { DocumentContent } from "./document-content.ts";
import { readingOrder } from "./pdf/reading-order.ts";
import { runsOf } from "./pdf/pages/recognised-runs.ts";
import { toContent } from "./pdf/to-content.ts";
import { checkReading } from "./vision/check-reading.ts";
import { VisionNotes } from "./vision/vision-notes.ts";
import { toSafeMarkdown } from "./vision/vision-text.ts";

const UNCERTAIN = "The text of the picture was recognised with low confidence; it may be wrong.";
const NO_WORDS = "The picture has no words.";

/** Returns the text that a vision model wrote, when the recognised words do not speak against it, and the findings. */
function writtenBy(page: RecognisedPage, budget: WorkBudget): { written: string | undefined; words: string } {
  const { vision } = page;
  if (vision === undefined || vision.markdown === "") return { written: undefined, words: "" };
  const notes = new VisionNotes();
  const checked = checkReading(vision, { ocr: page, textLayer: [] }, budget);
  notes.add(1, checked, vision.isCut);
  return { written: checked.isUsable ? toSafeMarkdown(vision.markdown) : undefined, words: notes.warning };
}

/** Lays out the text that was recognised in a picture. */
export function readPicture(page: RecognisedPage, url: string, budget: WorkBudget): DocumentContent {
  const { width, height, confidence } = page;
  const regions = readingOrder(runsOf(page), budget);
  const { written, words } = writtenBy(page, budget);
  const picture = { pageNumber: 1, width, height, regions, asides: [], rules: [] };
  const content = toContent([written === undefined ? picture : { ...picture, written }], url, {}, budget);
  const isUncertain = confidence < LOW_CONFIDENCE && written === undefined;
  const own = content.markdown === "" ? NO_WORDS : isUncertain ? UNCERTAIN : "";
  const warning = [words, own].filter((part) => part !== "").join(" ") || undefined;
  const metadata = { imageWidth: Math.round(width), imageHeight: Math.round(height) };
  return { ...content, metadata, ...(warning === undefined ? {} : { warning }) };
}
