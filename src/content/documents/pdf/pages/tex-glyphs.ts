import type { TextRun } from "../text-run.ts";

/** Accents that are glyphs of their own, with the combining marks that they stand for. */
const MARKS: Readonly<Record<string, string>> = {
  "`": "\u0300", "´": "\u0301", "ˆ": "\u0302", "˜": "\u0303", "¯": "\u0304", "˘": "\u0306", "˙": "\u0307", "¨": "\u0308",
  "˚": "\u030A", "˝": "\u030B", "ˇ": "\u030C", "¸": "\u0327", "˛": "\u0328",
}; // prettier-ignore
const ACCENT_AT_END = /([`´ˆ˜¯˘˙¨˚˝ˇ¸˛])\s*$/u;
/** Accents that are hardly ever text by themselves. */
const ACCENT_BEFORE_LETTER = /([´ˆ˜¯˘˙¨˚˝ˇ¸])(\p{L})/gu;
/** An accent and its letter are drawn above one another by at least this share of the font size. */
const MIN_OVERLAP = 0.12;
/** Letters are further apart than the accents of the letter below them, in multiples of the font size. */
const MAX_RAISE = 0.6;

/** Ligatures, quotes and dashes at the codes of TeX's fonts, which bitmap fonts have no names for. */
const T1_CODES: Readonly<Record<string, string>> = {
  "\u0010": "“", "\u0011": "”", "\u0012": "„", "\u0013": "«", "\u0014": "»", "\u0015": "–", "\u0016": "—",
  "\u001B": "ff", "\u001C": "fi", "\u001D": "fl", "\u001E": "ffi", "\u001F": "ffl", "\u007F": "-", ÿ: "ß",
}; // prettier-ignore
const OT1_CODES: Readonly<Record<string, string>> = {
  "\u000B": "ff", "\u000C": "fi", "\u000D": "fl", "\u000E": "ffi", "\u000F": "ffl", "\u0010": "ı", "\u0012": "`",
  "\u0013": "´", "\u0014": "ˇ", "\u0015": "˘", "\u0016": "¯", "\u0017": "˚", "\u0018": "¸", "\u0019": "ß", "\u001A": "æ",
  "\u001B": "œ", "\u001C": "ø", "\u007F": "¨",
}; // prettier-ignore
/** The lowest and highest code of a ligature in the older encoding. */
const OT1_LIGATURES = [0x0b, 0x0f] as const;

/**
 * Returns a function that reads the text of a bitmap font of TeX: its glyphs have codes in place of names. Fonts with
 * ligatures at the lower codes have the older encoding (OT1), all others that of Cork (T1).
 */
export function texDecoder(texts: readonly string[]): (text: string) => string {
  const [from, to] = OT1_LIGATURES;
  const isOlder = texts.some((text) =>
    [...text].some((sign) => sign.charCodeAt(0) >= from && sign.charCodeAt(0) <= to),
  );
  const codes = isOlder ? OT1_CODES : T1_CODES;
  return (text) => [...text].map((sign) => codes[sign] ?? sign).join("");
}

/**
 * Puts accents and letters together that are drawn one above the other, as TeX does with fonts that have no accented letters.
 * `runs` are in the order in which the page draws them.
 */
export function withAccents(runs: readonly TextRun[]): TextRun[] {
  const composed: TextRun[] = [];
  for (const run of runs) {
    const own = { ...run, text: withinText(run.text) };
    const last = composed.at(-1);
    const [ending, accent = ""] = ACCENT_AT_END.exec(last?.text ?? "") ?? [];
    const letter = accentedLetter(own.text[0] ?? "", accent);
    if (last !== undefined && ending !== undefined && letter !== undefined && areAbove(last, own)) {
      last.text = last.text.slice(0, -ending.length);
      last.right = Math.max(last.left, Math.min(last.right, own.left));
      own.text = letter + own.text.slice(1);
      if (last.text === "") composed.pop();
    }
    composed.push(own);
  }
  return composed;
}

function withinText(text: string): string {
  return text.replace(ACCENT_BEFORE_LETTER, (both, accent: string, letter: string) => {
    return accentedLetter(letter, accent) ?? both;
  });
}

/** Returns a letter with an accent where Unicode has them as one letter. */
function accentedLetter(letter: string, accent: string): string | undefined {
  const mark = MARKS[accent];
  if (mark === undefined || !/^\p{L}$/u.test(letter)) return undefined;
  const base = letter === "ı" ? "i" : letter === "ȷ" ? "j" : letter;
  const whole = (base + mark).normalize("NFC");
  return whole.length === 1 ? whole : undefined;
}

function areAbove(accent: TextRun, letter: TextRun): boolean {
  const overlap = accent.right - letter.left;
  return (
    overlap > letter.size * MIN_OVERLAP &&
    letter.right > accent.right - letter.size * 0.5 &&
    overlap < letter.size &&
    Math.abs(accent.baseline - letter.baseline) < letter.size * MAX_RAISE
  );
}
