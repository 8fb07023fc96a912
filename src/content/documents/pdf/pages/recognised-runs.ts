import type { RecognisedLine, RecognisedPage } from "../../../../core/ocr/recognised-page.ts";
import type { TextRun } from "../text-run.ts";

/** Sizes that differ less than this share from that of most of the page are measurements of the same size. */
const SAME_SIZE = 0.2;
/** Scripts without spaces between words. */
const UNSPACED = /[\u3040-\u30FF\u3400-\u9FFF\u0E00-\u0E7F]$/;

/** Returns the recognised words of a page as runs of text, which are ordered and laid out like those of a text layer. */
export function runsOf({ lines }: RecognisedPage): TextRun[] {
  const usual = usualSize(lines);
  return lines.flatMap(({ words, baseline, size: measured }) => {
    const size = Math.abs(measured - usual) <= usual * SAME_SIZE ? usual : Math.round(measured * 2) / 2;
    return words.map(({ text, left, right }, at) => ({
      text: at < words.length - 1 && !UNSPACED.test(text) ? `${text} ` : text,
      left,
      right,
      baseline,
      size,
      isBold: false,
      isItalic: false,
      isMonospaced: false,
      isRightToLeft: /[\u0590-\u08FF]/.test(text),
      href: undefined,
    }));
  });
}

/** Returns the median of the sizes of all characters. */
function usualSize(lines: readonly RecognisedLine[]): number {
  const sizes = lines
    .map(({ size, words }) => ({ size, characters: words.reduce((sum, { text }) => sum + text.length, 0) }))
    .toSorted((one, other) => one.size - other.size);
  const half = sizes.reduce((sum, { characters }) => sum + characters, 0) / 2;
  let passed = 0;
  for (const { size, characters } of sizes) {
    passed += characters;
    if (passed >= half) return Math.round(size * 2) / 2;
  }
  return 0;
}
