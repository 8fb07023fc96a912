import type { DescribeFigures } from "../../core/ocr/recognition.ts";
import type { DocumentContent } from "./document-content.ts";

/** Adds descriptions to the figures of a document; a warning says why some are missing. */
export async function withDescriptions<Opened extends { document: DocumentContent | undefined }>(
  opened: Opened,
  bytes: Uint8Array,
  describe: DescribeFigures,
): Promise<Opened> {
  const { document } = opened;
  if (document?.figures === undefined || document.figures.length === 0) return opened;
  const { texts, reason } = await describe({ bytes, figures: document.figures });
  const figures = document.figures.map((figure, at) => {
    const description = texts[at];
    return description === undefined ? figure : { ...figure, description };
  });
  const missing = figures.filter(({ description }) => description === undefined).length;
  if (missing === 0) return { ...opened, document: { ...document, figures } };
  const words = `${missing} of ${figures.length} pictures were not described: ${reason ?? "they could not be drawn"}.`;
  const warning = document.warning === undefined ? words : `${document.warning} ${words}`;
  return { ...opened, document: { ...document, figures, isPartial: true, warning } };
}
