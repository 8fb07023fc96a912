/** The destination of text: the document, a separate collection, or nowhere. */
export type RtfDestination =
  | "body"
  | "skip"
  | "fonts"
  | "styles"
  | "title"
  | "author"
  | "subject"
  | "keywords"
  | "fieldInstruction"
  | "listText"
  | "footnote"
  | "comment"
  | "shape"
  | "box"
  | "propertyName"
  | "propertyValue";

/** Formatting at a point inside of a group; the end of a group restores the state before it. */
export interface RtfState {
  destination: RtfDestination;
  bold: boolean;
  italic: boolean;
  strike: boolean;
  hidden: boolean;
  /** Text that a tracked change has removed. */
  deleted: boolean;
  shift: "sup" | "sub" | undefined;
  /** The same for complex scripts: text from right to left has emphasis of its own. */
  isRightToLeft: boolean;
  /** Set for characters of East Asia, which may have either emphasis. */
  isDoubleByte: boolean;
  complexBold: boolean;
  complexItalic: boolean;
  /** Number of substitute characters behind each Unicode character, for readers without Unicode. */
  substitutes: number;
  charset: string;
  font: number;
}

/** Formatting of characters that `\plain` sets. */
export const PLAIN_CHARACTERS = {
  bold: false,
  italic: false,
  strike: false,
  hidden: false,
  deleted: false,
  shift: undefined,
  complexBold: false,
  complexItalic: false,
} as const;

/** The state at the start of a document. */
export const START: RtfState = {
  ...PLAIN_CHARACTERS,
  destination: "body",
  isRightToLeft: false,
  isDoubleByte: false,
  substitutes: 1,
  charset: "windows-1252",
  font: 0,
};

/** Formatting of the paragraph that is being read; `\pard` clears it. */
export interface RtfParagraph {
  style: number | undefined;
  outlineLevel: number | undefined;
  isListItem: boolean;
  listLevel: number;
  /** 0 outside of tables, 1 in a table, more in tables within its cells. */
  tableDepth: number;
}

export const PLAIN_PARAGRAPH: RtfParagraph = {
  style: undefined,
  outlineLevel: undefined,
  isListItem: false,
  listLevel: 0,
  tableDepth: 0,
};

/** Code pages by the `\fcharset` numbers of fonts, RTF 1.9.1, "Font Table". */
const CHARSETS: Record<number, string> = {
  77: "macintosh",
  128: "shift_jis",
  129: "euc-kr",
  134: "gbk",
  136: "big5",
  161: "windows-1253",
  162: "windows-1254",
  163: "windows-1258",
  177: "windows-1255",
  178: "windows-1256",
  186: "windows-1257",
  204: "windows-1251",
  222: "windows-874",
  238: "windows-1250",
};

export function charsetOfFont(number: number): string | undefined {
  return CHARSETS[number];
}

/** Returns the encoding of an `\ansicpg` code page. */
export function charsetOfCodePage(codePage: number): string {
  const named: Record<number, string> = {
    932: "shift_jis",
    936: "gbk",
    949: "euc-kr",
    950: "big5",
    874: "windows-874",
    65001: "utf-8",
    10000: "macintosh",
    437: "windows-1252",
    850: "windows-1252",
    866: "ibm866",
  };
  return named[codePage] ?? (codePage >= 1250 && codePage <= 1258 ? `windows-${codePage}` : "windows-1252");
}

const DOUBLE_BYTE = new Set(["shift_jis", "gbk", "euc-kr", "big5"]);

/** Reports whether bytes end with the first one of two that are a character. */
export function endsWithLeadByte(bytes: readonly number[], charset: string): boolean {
  if (!DOUBLE_BYTE.has(charset)) return false;
  // Between the two ranges, Shift-JIS has half-width letters of one byte.
  const isLead = (byte = 0): boolean =>
    byte > 0x80 && byte < 0xff && (charset !== "shift_jis" || byte < 0xa0 || byte > 0xdf);
  let at = 0;
  while (at < bytes.length) at += isLead(bytes[at]) ? 2 : 1;
  return at > bytes.length;
}
