import type { WorkBudget } from "../../../core/work-budget.ts";
import { emphasize, escapeHtml, link } from "../html/html-text.ts";
import { RichBlocks } from "../html/rich-blocks.ts";
import type { RtfDestination, RtfParagraph, RtfState } from "./rtf-state.ts";
import { charsetOfCodePage, charsetOfFont, PLAIN_PARAGRAPH } from "./rtf-state.ts";
import type { RtfToken } from "./rtf-tokens.ts";

/** Control words that direct the rest of their group somewhere else than into the document. */
const DESTINATIONS: Record<string, RtfDestination> = {
  fonttbl: "fonts",
  stylesheet: "styles",
  title: "title",
  author: "author",
  subject: "subject",
  keywords: "keywords",
  fldinst: "fieldInstruction",
  listtext: "listText",
  pntext: "listText",
  footnote: "footnote",
  colortbl: "skip",
  listtable: "skip",
  listoverridetable: "skip",
  rsidtbl: "skip",
  generator: "skip",
  info: "skip",
  pict: "skip",
  object: "skip",
  header: "skip",
  headerl: "skip",
  headerr: "skip",
  headerf: "skip",
  footer: "skip",
  footerl: "skip",
  footerr: "skip",
  footerf: "skip",
  ftnsep: "skip",
  ftnsepc: "skip",
  xe: "skip",
  tc: "skip",
  annotation: "skip",
  atnid: "skip",
  atnauthor: "skip",
  nonshppict: "skip",
  themedata: "skip",
  latentstyles: "skip",
  datastore: "skip",
  bkmkstart: "skip",
  bkmkend: "skip",
};

/** Destinations marked with `\*` that are read nevertheless. */
const KNOWN_STARRED = new Set(["fldinst", "shppict", "footnote", "listtext", "pntext"]);

/** Control words that are a character. */
const CHARACTERS: Record<string, string> = {
  tab: " ",
  line: "\u2028",
  emdash: "—",
  endash: "–",
  emspace: " ",
  enspace: " ",
  bullet: "•",
  lquote: "‘",
  rquote: "’",
  ldblquote: "“",
  rdblquote: "”",
};

/** Maximum nesting of groups; writers of RTF use far less. */
const MAX_DEPTH = 2_000;
/** Characters that are scanned in one step. */
const CHARACTERS_PER_STEP = 256;

/** A field that has not ended. */
interface OpenLink {
  depth: number;
  href: string | undefined;
  /** Start of the field's text, in the paragraph that holds it. */
  start: number;
  html: string[];
}

/** Converts RTF tokens to HTML, with a stack of the state of each group. */
export class RtfReader {
  readonly metadata = new Map<string, string>();
  readonly #blocks = new RichBlocks();
  readonly #stack: RtfState[] = [];
  readonly #links: OpenLink[] = [];
  readonly #styleNames = new Map<number, string>();
  readonly #fontCharsets = new Map<number, string>();
  readonly #notes: string[] = [];
  #state: RtfState = {
    destination: "body",
    bold: false,
    italic: false,
    strike: false,
    hidden: false,
    superscript: false,
    substitutes: 1,
    charset: "windows-1252",
    font: 0,
  };
  readonly #budget: WorkBudget;
  #documentCharset = "windows-1252";
  #paragraph: RtfParagraph = PLAIN_PARAGRAPH;
  /** The paragraph that is being read, in pieces. */
  #html: string[] = [];
  #noteHtml = "";
  #instruction = "";
  #listText = "";
  #style = { number: 0, name: "" };
  #bytes: number[] = [];
  #toSkip = 0;
  #isStarred = false;

  constructor(budget: WorkBudget) {
    this.#budget = budget;
  }

  read(tokens: Iterable<RtfToken>): string {
    for (const token of tokens) {
      if (!this.#budget.take() || this.#stack.length > MAX_DEPTH) {
        this.#budget.cut("the text of the document");
        break;
      }
      if (token.type !== "byte") this.#flushBytes();
      this.#take(token);
    }
    this.#flushBytes();
    this.#endParagraph();
    const notes = this.#notes.map((note) => `<li>${note}</li>`).join("");
    return this.#blocks.toHtml() + (notes === "" ? "" : `<ol>${notes}</ol>`);
  }

  #take(token: RtfToken): void {
    const isStarred = this.#isStarred;
    this.#isStarred = false;
    switch (token.type) {
      case "open":
        this.#toSkip = 0;
        this.#stack.push({ ...this.#state });
        return;
      case "close":
        this.#toSkip = 0;
        return this.#closeGroup();
      case "byte":
        if (this.#toSkip > 0) this.#toSkip--;
        else this.#bytes.push(token.value);
        return;
      case "text": {
        const skipped = Math.min(this.#toSkip, token.text.length);
        this.#toSkip -= skipped;
        return this.#add(decode(token.text.slice(skipped), this.#state.charset));
      }
      case "symbol":
        return this.#symbol(token.symbol);
      case "word":
        return this.#word(token.name, token.value, isStarred);
    }
  }

  #symbol(symbol: string): void {
    if (symbol === "*") this.#isStarred = true;
    else if (symbol === "~") this.#add("\u00a0");
    else if (symbol === "_") this.#add("-");
    else if (symbol === "\\" || symbol === "{" || symbol === "}") this.#add(symbol);
  }

  #word(name: string, value: number | undefined, isStarred: boolean): void {
    if (isStarred && !KNOWN_STARRED.has(name)) {
      this.#state.destination = "skip";
      return;
    }
    const destination = DESTINATIONS[name];
    if (destination !== undefined) return this.#enter(destination);
    const character = CHARACTERS[name];
    if (character !== undefined) return this.#add(character);
    if (name === "u") return this.#unicode(value ?? 0);
    if (name === "field") this.#links.push({ depth: this.#stack.length, href: undefined, start: 0, html: this.#html });
    else if (name === "fldrslt") this.#startFieldResult();
    else this.#formatting(name, value);
  }

  /** Inside of a skipped group only the parts of the document information are read. */
  #enter(destination: RtfDestination): void {
    const isInformation = ["title", "author", "subject", "keywords"].includes(destination);
    if (this.#state.destination === "skip" && !isInformation) return;
    this.#state.destination = destination;
    if (destination === "fieldInstruction") this.#instruction = "";
    if (destination === "listText") this.#listText = "";
    if (destination === "footnote") this.#noteHtml = "";
  }

  #formatting(name: string, value: number | undefined): void {
    const isOn = value !== 0;
    const state = this.#state;
    switch (name) {
      case "b":
        state.bold = isOn;
        break;
      case "i":
        state.italic = isOn;
        break;
      case "strike":
      case "striked":
        state.strike = isOn;
        break;
      case "v":
        state.hidden = isOn;
        break;
      case "super":
        state.superscript = isOn;
        break;
      case "nosupersub":
        state.superscript = false;
        break;
      case "plain":
        Object.assign(state, { bold: false, italic: false, strike: false, hidden: false, superscript: false });
        break;
      case "uc":
        state.substitutes = value ?? 1;
        break;
      case "ansicpg":
        this.#documentCharset = charsetOfCodePage(value ?? 1252);
        state.charset = this.#documentCharset;
        break;
      case "f":
        state.font = value ?? 0;
        if (state.destination !== "fonts") state.charset = this.#fontCharsets.get(state.font) ?? this.#documentCharset;
        break;
      case "fcharset":
        if (state.destination === "fonts") this.#learnFont(value ?? 0);
        break;
      default:
        this.#paragraphFormatting(name, value);
    }
  }

  #paragraphFormatting(name: string, value: number | undefined): void {
    if (this.#state.destination === "styles") {
      if (name === "s") this.#style = { number: value ?? 0, name: "" };
      return;
    }
    if (this.#state.destination === "skip") return;
    switch (name) {
      case "pard":
        this.#paragraph = PLAIN_PARAGRAPH;
        this.#listText = "";
        break;
      case "s":
        this.#paragraph = { ...this.#paragraph, style: value };
        break;
      case "outlinelevel":
        this.#paragraph = { ...this.#paragraph, outlineLevel: value };
        break;
      case "ls":
        this.#paragraph = { ...this.#paragraph, isListItem: (value ?? 0) > 0 };
        break;
      case "ilvl":
        this.#paragraph = { ...this.#paragraph, listLevel: value ?? 0 };
        break;
      case "intbl":
        this.#paragraph = { ...this.#paragraph, isInTable: true };
        break;
      case "par":
      case "sect":
      case "page":
        this.#endParagraph();
        break;
      case "cell":
      case "nestcell":
        this.#paragraph = { ...this.#paragraph, isInTable: true };
        this.#endParagraph();
        this.#blocks.endCell();
        break;
      case "row":
      case "nestrow":
        this.#blocks.endRow();
        break;
    }
  }

  #learnFont(charset: number): void {
    const encoding = charsetOfFont(charset);
    if (encoding !== undefined) this.#fontCharsets.set(this.#state.font, encoding);
  }

  #unicode(value: number): void {
    // Values above 32,767 are written as negative numbers.
    this.#add(String.fromCharCode(value < 0 ? value + 65_536 : value));
    this.#toSkip = this.#state.substitutes;
  }

  #flushBytes(): void {
    if (this.#bytes.length === 0) return;
    const text = new TextDecoder(this.#state.charset).decode(Uint8Array.from(this.#bytes));
    this.#bytes = [];
    this.#add(text);
  }

  #add(text: string): void {
    if (text === "" || this.#state.hidden) return;
    switch (this.#state.destination) {
      case "body":
        this.#html.push(this.#marked(text));
        return;
      case "footnote":
        this.#noteHtml += this.#marked(text);
        return;
      case "fieldInstruction":
        this.#instruction += text;
        return;
      case "listText":
        this.#listText += text;
        return;
      case "styles":
        this.#style.name += text;
        if (text.includes(";"))
          this.#styleNames.set(this.#style.number, this.#style.name.replace(/;.*$/s, "").trim().toLowerCase());
        return;
      case "title":
      case "author":
      case "subject":
      case "keywords":
        this.metadata.set(this.#state.destination, (this.metadata.get(this.#state.destination) ?? "") + text);
        return;
      default:
    }
  }

  #marked(text: string): string {
    const escaped = escapeHtml(text).replaceAll("\u2028", "<br>");
    const html = emphasize(escaped, this.#state);
    return this.#state.superscript ? `<sup>${html}</sup>` : html;
  }

  #startFieldResult(): void {
    const field = this.#links.at(-1);
    const target = /HYPERLINK\s+(?:\\[a-z]\s+)*"([^"]+)"/i.exec(this.#instruction)?.[1];
    if (field === undefined || target === undefined) return;
    field.href = target;
    field.start = this.#html.length;
    field.html = this.#html;
  }

  #closeGroup(): void {
    const { destination } = this.#state;
    const outer = this.#stack.pop();
    if (outer === undefined) return;
    if (destination === "footnote" && outer.destination !== "footnote") {
      this.#notes.push(this.#noteHtml.trim());
      this.#html.push(`<sup>[${this.#notes.length}]</sup>`);
    }
    this.#state = outer;
    const field = this.#links.at(-1);
    if (field === undefined || this.#stack.length >= field.depth) return;
    this.#links.pop();
    // Where a paragraph ended within a link, the rest of it is not a link.
    if (field.href === undefined || field.html !== this.#html) return;
    const html = this.#html.splice(field.start).join("");
    this.#budget.take(html.length / CHARACTERS_PER_STEP);
    this.#html.push(link(field.href, html));
  }

  #endParagraph(): void {
    if (this.#state.destination === "footnote") {
      this.#noteHtml += " ";
      return;
    }
    const name = this.#styleNames.get(this.#paragraph.style ?? -1) ?? "";
    const byName = /^(?:heading|überschrift|titre|título|titolo|заголовок) ?(\d)/i.exec(name)?.[1];
    const level = byName === undefined ? (this.#paragraph.outlineLevel ?? -1) + 1 : Number(byName);
    const headingLevel = name === "title" ? 1 : level >= 1 && level <= 9 ? Math.min(6, level) : undefined;
    const marker = this.#listText.trim();
    const html = this.#html.join("");
    this.#blocks.addParagraph(headingLevel === undefined ? html : html.replace(/<\/?(strong|em)>/g, ""), {
      headingLevel,
      listMarker: marker !== "" ? marker : this.#paragraph.isListItem ? "•" : undefined,
      listLevel: this.#paragraph.listLevel,
      isInTable: this.#paragraph.isInTable,
    });
    this.#html = [];
    this.#listText = "";
  }
}

function decode(text: string, charset: string): string {
  // oxlint-disable-next-line no-control-regex -- ASCII needs no decoding
  if (/^[\x00-\x7f]*$/.test(text)) return text;
  return new TextDecoder(charset).decode(Uint8Array.from(text, (character) => character.charCodeAt(0)));
}
