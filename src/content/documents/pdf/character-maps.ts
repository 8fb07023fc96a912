/** The form of the codes of a predefined character map, and the encoding that they map to. */
interface CodeSpace {
  /** Ranges of codes in hexadecimal, PDF's own notation. */
  ranges: readonly string[];
  /** WHATWG name of the encoding; undefined where codes are Unicode themselves. */
  encoding: string | undefined;
  /** First and last byte of two-byte codes. */
  leads: readonly [number, number];
  trails: readonly [number, number];
  /** Set for seven-bit codes, which are those of the encoding without their high bits. */
  highBits?: number;
}

const ASCII_RANGE = "<00> <80>";
const SHIFT_JIS: CodeSpace = {
  ranges: [ASCII_RANGE, "<a0> <df>", "<8140> <9ffc>", "<e040> <fcfc>"],
  encoding: "shift_jis",
  leads: [0x81, 0xfc],
  trails: [0x40, 0xfc],
};
const GBK: CodeSpace = {
  ranges: [ASCII_RANGE, "<8140> <fefe>"],
  encoding: "gbk",
  leads: [0x81, 0xfe],
  trails: [0x40, 0xfe],
};
const BIG5: CodeSpace = { ...GBK, encoding: "big5" };
const EUC_KR: CodeSpace = { ...GBK, encoding: "euc-kr" };
const EUC_JP: CodeSpace = {
  ranges: [ASCII_RANGE, "<8ea1> <8edf>", "<a1a1> <fefe>"],
  encoding: "euc-jp",
  leads: [0x8e, 0xfe],
  trails: [0xa1, 0xfe],
};
const JIS: CodeSpace = {
  ranges: ["<2121> <7e7e>"],
  encoding: "euc-jp",
  leads: [0x21, 0x7e],
  trails: [0x21, 0x7e],
  highBits: 0x80,
};
/** A pair of surrogates is two codes, whose halves of a character follow each other in the text. */
const UNICODE: CodeSpace = {
  ranges: ["<0000> <ffff>"],
  encoding: undefined,
  leads: [0, 0xff],
  trails: [0, 0xff],
};

/**
 * Predefined character maps of ISO 32000-1 § 9.7.5.2 by the pattern of their names, with the collection they belong to.
 */
const PREDEFINED: readonly (readonly [pattern: RegExp, collection: string, codes: CodeSpace])[] = [
  [/^(83pv|90ms|90msp|90pv|78ms|Add|Ext)-RKSJ$|^RKSJ$/, "Japan1", SHIFT_JIS],
  [/^EUC$/, "Japan1", EUC_JP],
  [/^$/, "Japan1", JIS],
  [/^UniJIS\w*-(UCS2(-HW)?|UTF16)$/, "Japan1", UNICODE],
  [/^(GB|GBpc|GBK|GBKp)-EUC$|^GBK2K$/, "GB1", GBK],
  [/^UniGB-(UCS2|UTF16)$/, "GB1", UNICODE],
  [/^(B5pc|HKscs-B5|ETen-B5|ETenms-B5|B5)$/, "CNS1", BIG5],
  [/^UniCNS-(UCS2|UTF16)$/, "CNS1", UNICODE],
  [/^(KSC|KSCpc)-EUC$|^KSCms-UHC(-HW)?$/, "Korea1", EUC_KR],
  [/^UniKS-(UCS2|UTF16)$/, "Korea1", UNICODE],
];

const MAX_RANGES_A_BLOCK = 100;

/**
 * Serves pdf.js the predefined character maps of Chinese, Japanese and Korean fonts, for text alone.
 *
 * Adobe's maps translate codes to glyphs and glyphs to Unicode, in a megabyte of tables. Text needs Unicode only, and
 * the platform's decoders know the characters of the codes; so a glyph is named here by its Unicode value, and the
 * second map is the identity. A font that names true glyphs without a map to Unicode stays unread and is in `missing`.
 */
export class CharacterMaps {
  /** Glyph collections that have no map to Unicode. */
  readonly missing = new Set<string>();
  readonly #served = new Set<string>();

  /**
   * Returns the PostScript source of a map that pdf.js requests by name.
   * @throws Error for a map that cannot be built.
   */
  async read(name: string): Promise<Uint8Array> {
    const collection = /^Adobe-(\w+)-UCS2$/.exec(name)?.[1];
    if (collection !== undefined) return this.#unicodeOf(collection);
    const [, base = "", direction] = /^(.*?)-?([HV])$/.exec(name) ?? [];
    const found = PREDEFINED.find(([pattern]) => pattern.test(base));
    if (direction === undefined || found === undefined) throw this.#lacking(name);
    const [, collectionName, codes] = found;
    this.#served.add(collectionName);
    return postScript(codes, direction === "V");
  }

  #unicodeOf(collection: string): Uint8Array {
    if (!this.#served.has(collection)) throw this.#lacking(collection);
    return encode(
      `1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n1 beginbfrange\n<0000> <ffff> <0000>\nendbfrange\n`,
    );
  }

  #lacking(name: string): Error {
    this.missing.add(name);
    return new Error(`No character map ${name}`);
  }
}

function postScript(codes: CodeSpace, isVertical: boolean): Uint8Array {
  const ranges = codes.encoding === undefined ? ["<0000> <ffff> 0"] : rangesOf(codes, codes.encoding);
  const blocks: string[] = [];
  for (let at = 0; at < ranges.length; at += MAX_RANGES_A_BLOCK) {
    const block = ranges.slice(at, at + MAX_RANGES_A_BLOCK);
    blocks.push(`${block.length} begincidrange\n${block.join("\n")}\nendcidrange`);
  }
  const space = `${codes.ranges.length} begincodespacerange\n${codes.ranges.join("\n")}\nendcodespacerange`;
  return encode(`/WMode ${isVertical ? 1 : 0} def\n${space}\n${blocks.join("\n")}\n`);
}

/** Returns runs of codes whose characters follow one another. */
function rangesOf(codes: CodeSpace, encoding: string): string[] {
  const ranges: { first: number; last: number; unicode: number; digits: number }[] = [];
  for (const { code, unicode, digits } of charactersOf(codes, encoding)) {
    const range = ranges.at(-1);
    const follows =
      range !== undefined && range.digits === digits && code === range.last + 1 && code >> 8 === range.first >> 8;
    if (follows && unicode === range.unicode + code - range.first) range.last = code;
    else ranges.push({ first: code, last: code, unicode, digits });
  }
  const hex = (value: number, digits: number): string => `<${value.toString(16).padStart(digits, "0")}>`;
  return ranges.map(({ first, last, unicode, digits }) => `${hex(first, digits)} ${hex(last, digits)} ${unicode}`);
}

/** Decodes every code at once, each on a separate line. */
function* charactersOf(
  codes: CodeSpace,
  encoding: string,
): Generator<{ code: number; unicode: number; digits: number }> {
  const listed: number[] = [];
  const bytes: number[] = [];
  const highBits = codes.highBits ?? 0;
  if (highBits === 0)
    for (let code = 0x20; code < 0xe0; code++) {
      listed.push(code);
      bytes.push(code, 0x0a);
    }
  for (let lead = codes.leads[0]; lead <= codes.leads[1]; lead++) {
    for (let trail = codes.trails[0]; trail <= codes.trails[1]; trail++) {
      listed.push((lead << 8) | trail);
      bytes.push(lead | highBits, trail | highBits, 0x0a);
    }
  }
  const lines = new TextDecoder(encoding).decode(Uint8Array.from(bytes)).split("\n");
  for (const [at, code] of listed.entries()) {
    const line = lines[at] ?? "";
    if (line.length === 1 && line !== "\uFFFD")
      yield { code, unicode: line.charCodeAt(0), digits: code > 0xff ? 4 : 2 };
  }
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
