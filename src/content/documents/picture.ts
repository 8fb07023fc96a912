import { LOW_CONFIDENCE } from "../../core/ocr/confidence.ts";
import type { RecogniseText } from "../../core/ocr/recognition.ts";
import type { RecognisedPage } from "../../core/ocr/recognised-page.ts";
import type { WorkBudget } from "../../core/work-budget.ts";
import type { DocumentContent } from "./document-content.ts";
import { tiffPages } from "./kind/tiff-pages.ts";
import { pictureType } from "./kind/picture-type.ts";
import { ofPages } from "./listed.ts";
import { readingOrder } from "./pdf/reading-order.ts";
import { runsOf } from "./pdf/pages/recognised-runs.ts";
import type { PageText } from "./pdf/text-run.ts";
import { toContent } from "./pdf/to-content.ts";
import { recognisePicture, withMissing, withUnseen } from "./recognise-pages.ts";
import { checkReading } from "./vision/check-reading.ts";
import { VisionNotes } from "./vision/vision-notes.ts";
import { toSafeMarkdown } from "./vision/vision-text.ts";

const UNCERTAIN = "The text of the picture was recognised with low confidence; it may be wrong.";
const NO_WORDS = "The picture has no words.";

/**
 * Reads the text of a picture; a TIFF may have several pages.
 * @throws the errors of `recognisePicture`
 */
export async function readPictureFile(
  bytes: Uint8Array,
  { url, recognise, budget }: { url: string; recognise: RecogniseText | undefined; budget: WorkBudget },
): Promise<DocumentContent> {
  const recognition = await recognisePicture(bytes, recognise);
  const count = pictureType(bytes) === "image/tiff" ? tiffPages(bytes).length : 1;
  const pages = Array.from({ length: count }, (_, at) => at + 1);
  const opened = withMissing({ document: readPages(recognition.pages, url, budget) }, pages, recognition);
  return withUnseen(opened, recognition).document;
}

/** Lays out the text that was recognised in the pages of a picture. */
function readPages(recognised: readonly RecognisedPage[], url: string, budget: WorkBudget): DocumentContent {
  const notes = new VisionNotes();
  const uncertain: number[] = [];
  const pages = recognised.map((page): PageText => {
    const { pageNumber, width, height, confidence } = page;
    const written = writtenBy(page, notes, budget);
    if (confidence < LOW_CONFIDENCE && written === undefined && !page.isBlank) uncertain.push(pageNumber);
    const regions = readingOrder(runsOf(page), budget);
    const text = { pageNumber, width, height, regions, asides: [], rules: [] };
    return written === undefined ? text : { ...text, written };
  });
  const content = toContent(pages, url, {}, budget);
  const doubts =
    recognised.length > 1
      ? `${ofPages(uncertain, "of the picture was", "of the picture were")} recognised with low confidence; the text may be wrong.`
      : UNCERTAIN;
  const own = content.markdown === "" ? NO_WORDS : uncertain.length > 0 ? doubts : "";
  const warning = [notes.warning, own].filter((part) => part !== "").join(" ");
  const { width = 0, height = 0 } = pages[0] ?? {};
  const metadata = { imageWidth: Math.round(width), imageHeight: Math.round(height) };
  return { ...content, metadata, ...(warning === "" ? {} : { warning }) };
}

/** Returns the text that a vision model wrote, when the recognised words do not speak against it. */
function writtenBy(page: RecognisedPage, notes: VisionNotes, budget: WorkBudget): string | undefined {
  const { vision } = page;
  if (vision === undefined || vision.markdown === "") return undefined;
  const checked = checkReading(vision, { ocr: page, textLayer: [] }, budget);
  notes.add(page.pageNumber, checked, vision.isCut);
  return checked.isUsable ? toSafeMarkdown(vision.markdown) : undefined;
}
