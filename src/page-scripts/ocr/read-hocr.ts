import type { RecognisedLine } from "../../core/ocr/recognised-page.ts";

/** Lines and words of hOCR, in points. */
export function readHocr(hocr: string, pointsPerPixel: number): RecognisedLine[] {
  const document = new DOMParser().parseFromString(hocr, "text/html");
  return [...document.querySelectorAll(".ocr_line, .ocr_textfloat, .ocr_header, .ocr_caption")].flatMap((element) => {
    const line = readLine(element, pointsPerPixel);
    return line.words.length === 0 ? [] : [line];
  });
}

function readLine(element: Element, scale: number): RecognisedLine {
  const title = element.getAttribute("title") ?? "";
  const [left = 0, top = 0, right = 0, bottom = 0] = numbersOf(title, "bbox");
  const [slope = 0, offset = 0] = numbersOf(title, "baseline");
  const [size = bottom - top] = numbersOf(title, "x_size");
  const words = [...element.querySelectorAll(".ocrx_word")].flatMap((word) => {
    const text = (word.textContent ?? "").trim().slice(0, 500);
    const wordTitle = word.getAttribute("title") ?? "";
    const [wordLeft = 0, , wordRight = 0] = numbersOf(wordTitle, "bbox");
    const [confidence = 0] = numbersOf(wordTitle, "x_wconf");
    return text === ""
      ? []
      : [{ text, left: wordLeft * scale, right: wordRight * scale, confidence: clamped(confidence / 100) }];
  });
  // hOCR measures the baseline from the lower left corner of the line; its middle stands for lines that are not level.
  const baseline = bottom + offset + (slope * (right - left)) / 2;
  return {
    top: top * scale,
    bottom: bottom * scale,
    baseline: baseline * scale,
    size: Math.max(1, size * scale),
    words,
  };
}

function clamped(share: number): number {
  return Math.min(1, Math.max(0, share));
}

/** Returns the numbers that follow a property's name in the title of an hOCR element. */
function numbersOf(title: string, name: string): number[] {
  const [, values = ""] = new RegExp(`(?:^|;)\\s*${name} ([-\\d.e ]+)`).exec(title) ?? [];
  return values
    .split(" ")
    .filter((value) => value !== "")
    .map(Number);
}
