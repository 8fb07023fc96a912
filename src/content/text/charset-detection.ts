import { analyse } from "chardet";

const SAMPLE_BYTES = 65_536;
/** Bytes of context in front of the first byte that is not ASCII, when the sample starts later than the body. */
const LEAD_BYTES = 1_024;
const ESCAPE = 0x1b;
/**
 * Characters beyond ASCII that tell UTF-8 with errors from another encoding, and how many of them there are for each
 * error. Text in another encoding decodes as so many characters of UTF-8 in a row by no chance.
 */
const MIN_UTF8_CHARACTERS = 10;
const UTF8_CHARACTERS_PER_ERROR = 100;

/** Encodings a page in this language is likely to use, tried before statistics; keys are lower-case BCP 47 prefixes. */
const LANGUAGE_HINTS: readonly (readonly [prefix: string, encodings: readonly string[]])[] = [
  ["ja", ["shift_jis", "euc-jp"]],
  ["ko", ["euc-kr"]],
  ["zh-tw", ["big5"]],
  ["zh-hk", ["big5"]],
  ["zh-hant", ["big5"]],
  ["zh", ["gb18030"]],
  ["th", ["windows-874"]],
  ["el", ["windows-1253", "iso-8859-7"]],
  ["he", ["windows-1255"]],
  ["ar", ["windows-1256"]],
  ["fa", ["windows-1256"]],
  ["tr", ["windows-1254"]],
];

/**
 * Detects the encoding of text that is neither labelled nor valid UTF-8.
 *
 * The result is UTF-8 where nearly all of the sample decodes as such. Otherwise it is chardet's (the n-gram and byte-sequence tables of ICU) for the page's text without its markup, which
 * would dominate the statistics, and only among encodings in which the sample decodes without an error.
 * @returns a name that `TextDecoder` accepts; `windows-1252` when there is no evidence for another one
 */
export function detectCharset(bytes: Uint8Array): string {
  const start = Math.max(0, firstNonAscii(bytes) - LEAD_BYTES);
  const whole = bytes.subarray(start, start + SAMPLE_BYTES);
  if (isDamagedUtf8(whole)) return "utf-8";
  const raw = toBinaryString(whole);
  const sample = fromBinaryString(withoutMarkup(raw));
  const fits = (encoding: string): boolean => decodesCleanly(encoding, sample);

  const best = analyse(sample)
    .toSorted((a, b) => b.confidence - a.confidence)
    .filter(({ confidence }) => confidence >= 10)
    .map(({ name }) => encodingOf(name))
    .find((encoding) => encoding !== undefined && fits(encoding));
  const byLanguage = hintsFor(languageOf(bytes)).filter(fits);
  return byLanguage.find((hint) => hint === best) ?? byLanguage[0] ?? best ?? "windows-1252";
}

/**
 * True for UTF-8 with few errors, such as a single byte of another encoding. A character that is cut at the beginning
 * or at the end of the sample is no error.
 */
function isDamagedUtf8(sample: Uint8Array): boolean {
  let start = 0;
  while (start < 3 && ((sample[start] ?? 0) & 0xc0) === 0x80) start++;
  const text = new TextDecoder().decode(sample.subarray(start), { stream: true });
  let [characters, errors] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0xfffd) errors++;
    // Of a pair of surrogates the first counts.
    else if (unit > 0x7f && (unit & 0xfc00) !== 0xdc00) characters++;
  }
  return characters >= MIN_UTF8_CHARACTERS && errors <= Math.max(1, characters / UTF8_CHARACTERS_PER_ERROR);
}

/** True for text in ISO-2022-JP, whose bytes are all ASCII and which would otherwise be read as UTF-8. */
export function looksLikeIso2022Jp(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  for (let at = sample.indexOf(ESCAPE); at !== -1; at = sample.indexOf(ESCAPE, at + 1)) {
    if (sample[at + 1] === 0x24 && (sample[at + 2] === 0x42 || sample[at + 2] === 0x40)) return true;
  }
  return false;
}

/** Detects UTF-16 without a byte order mark by the zero bytes of its markup, spaces and digits. */
export function detectUtf16(bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  const sample = bytes.subarray(0, 1_024);
  const units = sample.length >> 1;
  if (units < 2 || !sample.includes(0)) return undefined;
  let zeroHigh = 0;
  let zeroLow = 0;
  for (let at = 0; at + 1 < sample.length; at += 2) {
    if (sample[at] === 0) zeroLow++;
    if (sample[at + 1] === 0) zeroHigh++;
  }
  if (zeroHigh > units * 0.3 && zeroLow < units * 0.05) return "utf-16le";
  if (zeroLow > units * 0.3 && zeroHigh < units * 0.05) return "utf-16be";
  return undefined;
}

/** Decodes bytes as one character each, to search the ASCII in them. */
export function toBinaryString(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return text;
}

function fromBinaryString(text: string): Uint8Array {
  return Uint8Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
}

/**
 * Removes markup. `<` and `>` are no trail bytes in any encoding of the WHATWG list, so it can be cut before decoding.
 */
function withoutMarkup(text: string): string {
  const cut = withoutCode(text).replace(/<[^<>]*>/g, " ");
  return /[\x80-\xff]/.test(cut) ? cut.replace(/[ \t\r\n]+/g, " ") : text;
}

function withoutCode(text: string): string {
  let kept = "";
  let from = 0;
  for (const { 0: open, 1: name = "", index } of text.matchAll(/<(script|style)\b/gi)) {
    if (index < from) continue;
    const close = new RegExp(`</${name}`, "gi");
    close.lastIndex = index + open.length;
    if (close.exec(text) === null) break;
    kept += `${text.slice(from, index)} `;
    from = close.lastIndex;
  }
  return kept + text.slice(from);
}

/** Returns the position of the first byte that is not ASCII; 0 when there is none. */
export function firstNonAscii(bytes: Uint8Array): number {
  for (let at = 0; at < bytes.length; at++) if ((bytes[at] ?? 0) > 0x7f) return at;
  return 0;
}

function languageOf(bytes: Uint8Array): string {
  const head = toBinaryString(bytes.subarray(0, 2_048));
  return /<html\b[^>]*\blang\s*=\s*["']?([a-z-]+)/i.exec(head)?.[1]?.toLowerCase() ?? "";
}

function hintsFor(language: string): readonly string[] {
  return LANGUAGE_HINTS.find(([prefix]) => language === prefix || language.startsWith(`${prefix}-`))?.[1] ?? [];
}

function encodingOf(name: string): string | undefined {
  try {
    const encoding = new TextDecoder(name).encoding;
    return encoding === "gbk" ? "gb18030" : encoding;
  } catch {
    return undefined;
  }
}

/** The sample may be cut inside a character, hence `stream`. */
function decodesCleanly(encoding: string, sample: Uint8Array): boolean {
  try {
    new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(sample, { stream: true });
    return true;
  } catch {
    return false;
  }
}
