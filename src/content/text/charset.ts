import { atOnce, inTurns, type Turns } from "../../core/in-turns.ts";
import { detectCharset, detectUtf16, firstNonAscii, looksLikeIso2022Jp, toBinaryString } from "./charset-detection.ts";

/** Browsers look at 1,024 bytes; real pages put long comments and scripts in front of their charset. */
const PRESCAN_BYTES = 4_096;
/** A higher share of undecodable characters means that the label is wrong, and not that the page has an error. */
const WRONG_LABEL_SHARE = 0.1;
/** Bytes that are decoded in a turn: some 2 to 25 ms of a processor. A label is judged by as many from the first that is not ASCII. */
const PIECE_BYTES = 1_000_000;

export interface DecodedBody {
  text: string;
  /** WHATWG name of the encoding, in lower case, such as `utf-8` or `shift_jis`. */
  charset: string;
}

/**
 * Decodes a response body: byte order mark, then the charset of the `Content-Type` header, then the document's
 * declaration (`<meta>`, XML declaration), then detection (UTF-8 when valid or nearly so, else statistics).
 *
 * Follows the WHATWG Encoding Standard and the sniffing of HTML § 13.2.3, except that a label which is plainly wrong
 * for the bytes is ignored: UTF-8 that does not decode, UTF-16 of single bytes, Latin-1 of valid UTF-8. Never throws;
 * undecodable bytes become U+FFFD.
 */
export function decodeBody(bytes: Uint8Array, contentType: string | undefined): DecodedBody {
  return atOnce(decodingOf(bytes, contentType));
}

/** Decodes a response body as `decodeBody` does, and a large one in turns. */
export async function decodeInTurns(bytes: Uint8Array, contentType: string | undefined): Promise<DecodedBody> {
  return await inTurns(decodingOf(bytes, contentType));
}

function* decodingOf(bytes: Uint8Array, contentType: string | undefined): Turns<DecodedBody> {
  const utf16 = detectUtf16(bytes);
  const certain = byteOrderMark(bytes) ?? utf16;
  if (certain !== undefined) return yield* decodeAs(certain, bytes);

  const header = encodingFromLabel(charsetOfContentType(contentType));
  const fromHeader = header === undefined ? undefined : yield* decodeIfPlausible(header, bytes);
  if (fromHeader !== undefined) return fromHeader;

  const declared = isMarkup(contentType) ? declaredEncoding(bytes) : undefined;
  const isOther = declared !== undefined && declared !== header;
  const fromDocument = isOther ? yield* decodeIfPlausible(declared, bytes) : undefined;
  if (fromDocument !== undefined) return fromDocument;

  if (looksLikeIso2022Jp(bytes)) return yield* decodeAs("iso-2022-jp", bytes);
  return (yield* decodeValidUtf8(bytes)) ?? (yield* decodeAs(detectCharset(bytes), bytes));
}

/** Reads the `charset` parameter of a media type, RFC 9110 § 8.3.2. */
export function charsetOfContentType(contentType: string | undefined): string | undefined {
  return /;\s*charset\s*=\s*["']?([^\s"';,]+)/i.exec(contentType ?? "")?.[1];
}

function byteOrderMark(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return undefined;
}

/** Reports whether a text is markup: only there `<meta>` and XML declarations are declarations. */
function isMarkup(contentType: string | undefined): boolean {
  return !/^\s*(text\/(plain|csv|tab-separated-values|markdown|css)|application\/([\w.-]+\+)?json)\b/i.test(
    contentType ?? "",
  );
}

function declaredEncoding(bytes: Uint8Array): string | undefined {
  const head = toBinaryString(bytes.subarray(0, PRESCAN_BYTES)).replace(/<!--[\s\S]*?(-->|$)/g, "");
  const xml = /^\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([^"']+)["']/.exec(head)?.[1];
  const label = metaCharset(head) ?? xml;
  const encoding = encodingFromLabel(label);
  // The declaration was read as ASCII, so the bytes cannot be UTF-16; HTML § 13.2.3.2 requires UTF-8.
  return encoding?.startsWith("utf-16") ? "utf-8" : encoding;
}

function metaCharset(head: string): string | undefined {
  for (const [tag] of head.matchAll(/<meta\b[^>]*>/gi)) {
    const attributes = new Map(
      [...tag.matchAll(/([a-z-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi)].map((match) => [
        match[1]?.toLowerCase(),
        match[2] ?? match[3] ?? match[4] ?? "",
      ]),
    );
    const direct = attributes.get("charset");
    if (direct !== undefined && encodingFromLabel(direct) !== undefined) return direct;
    if (attributes.get("http-equiv")?.toLowerCase() !== "content-type") continue;
    const inContent = /charset\s*=\s*["']?([^\s"';]+)/i.exec(attributes.get("content") ?? "")?.[1];
    if (encodingFromLabel(inContent) !== undefined) return inContent;
  }
  return undefined;
}

/** Resolves a label by the table of the WHATWG Encoding Standard, which `TextDecoder` carries. */
function encodingFromLabel(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label.trim()).encoding;
  } catch {
    return label.trim().toLowerCase() === "x-user-defined" ? "windows-1252" : undefined;
  }
}

function* decodeIfPlausible(encoding: string, bytes: Uint8Array): Turns<DecodedBody | undefined> {
  if (encoding === "utf-8") {
    if (looksLikeIso2022Jp(bytes)) return undefined;
    return (yield* decodeValidUtf8(bytes)) ?? (yield* decodeUnlessGarbled("utf-8", bytes));
  }
  // No zero byte was found where the letters of markup would have them.
  if (encoding.startsWith("utf-16")) return undefined;
  if (!isSingleByte(encoding)) return yield* decodeUnlessGarbled(encoding, bytes);
  // Latin-1 text is not valid UTF-8 by chance: every accented letter would have to be followed by the right one.
  const utf8 = yield* decodeValidUtf8(bytes);
  if (utf8 === undefined) return yield* decodeAs(encoding, bytes);
  const isAscii = utf8.text.length === bytes.length;
  return isAscii ? { ...utf8, charset: encoding } : utf8;
}

function isSingleByte(encoding: string): boolean {
  return /^(windows-|iso-8859-|koi8-|macintosh|ibm866|x-mac-)/.test(encoding);
}

function* decodeValidUtf8(bytes: Uint8Array): Turns<DecodedBody | undefined> {
  try {
    return {
      text: yield* decodePieces(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }), bytes),
      charset: "utf-8",
    };
  } catch {
    return undefined;
  }
}

function* decodeUnlessGarbled(encoding: string, bytes: Uint8Array): Turns<DecodedBody | undefined> {
  const isWhole = bytes.length <= PIECE_BYTES;
  const start = isWhole ? 0 : firstNonAscii(bytes);
  const text = new TextDecoder(encoding).decode(bytes.subarray(start, start + PIECE_BYTES), { stream: !isWhole });
  if (isGarbled(text)) return undefined;
  return isWhole ? { text, charset: encoding } : yield* decodeAs(encoding, bytes);
}

function isGarbled(text: string): boolean {
  let [garbled, others] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit > 0x7f) others++;
    if (unit === 0xfffd) garbled++;
  }
  return garbled > others * WRONG_LABEL_SHARE;
}

function* decodeAs(encoding: string, bytes: Uint8Array): Turns<DecodedBody> {
  return { text: yield* decodePieces(new TextDecoder(encoding), bytes), charset: encoding };
}

/** @throws TypeError as the decoder does */
function* decodePieces(decoder: TextDecoder, bytes: Uint8Array): Turns<string> {
  if (bytes.length <= PIECE_BYTES) return decoder.decode(bytes);
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    pieces.push(decoder.decode(bytes.subarray(at, at + PIECE_BYTES), { stream: true }));
    yield;
  }
  pieces.push(decoder.decode());
  return pieces.join("");
}
