import type { WorkBudget } from "../../../core/work-budget.ts";
import { DocumentNotes } from "../html/document-notes.ts";
import { escapeHtml, link } from "../html/html-text.ts";
import { withoutParagraph } from "../html/nested-blocks.ts";
import { DESTINATIONS, KNOWN_STARRED, STORIES, WITHOUT_PARAGRAPHS } from "./rtf-destinations.ts";
import type { RtfDestination, RtfState } from "./rtf-state.ts";
import { charsetOfCodePage, charsetOfFont, endsWithLeadByte, PLAIN_PARAGRAPH, START } from "./rtf-state.ts";
import { formatCharacters, marked } from "./rtf-characters.ts";
import { RtfStory } from "./rtf-story.ts";
import type { RtfToken } from "./rtf-tokens.ts";
import { withoutPrototype } from "../../../core/without-prototype.ts";

/** Control words that are a character. */
const CHARACTERS: Record<string, string> = withoutPrototype({
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
});

/** Maximum nesting of groups; writers of RTF use far less. */
const MAX_DEPTH = 2_000;
/** Longer names of styles are cut. */
const MAX_STYLE_NAME = 500;
/** Characters that are scanned in one step. */
const CHARACTERS_PER_STEP = 256;

/** The property of a shape that holds drawn text. */
const SHAPE_TEXT = "gtextUNICODE";
/** The target of a link. One within the document, whose name follows a `\l`, is none. */
const HYPERLINK = /HYPERLINK\s+(?:\\[mnt]\s+)*"([^"]+)"/i;

/** Characters of a field's instruction that are kept; the address of a link is at its start. */
const MAX_INSTRUCTION = 16_384;

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
  readonly #stack: RtfState[] = [];
  readonly #links: OpenLink[] = [];
  readonly #styleNames = new Map<number, string>();
  readonly #fontCharsets = new Map<number, string>();
  readonly #notes = new DocumentNotes();
  /** The document, and the stories in it that have begun, with the depth of their groups. */
  readonly #stories: { story: RtfStory; depth: number; destination: RtfDestination }[] = [];
  #story = new RtfStory();
  #state: RtfState = { ...START };
  readonly #budget: WorkBudget;
  #documentCharset = "windows-1252";
  #instruction = "";
  #style = { number: 0, name: "" };
  #bytes: number[] = [];
  #shapeProperty = "";
  #shapeText = "";
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
      const rest = this.#withoutTrailByte(token);
      if (rest.type !== "byte") this.#flushBytes();
      this.#take(rest);
    }
    this.#flushBytes();
    while (this.#stories.length > 0) this.#endStory();
    this.#endParagraph();
    return this.#story.toHtml() + this.#notes.toHtml();
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
    if (name === "field")
      this.#links.push({ depth: this.#stack.length, href: undefined, start: 0, html: this.#story.html });
    else if (name === "fldrslt") this.#startFieldResult();
    else this.#formatting(name, value);
  }

  /** Inside of a skipped group only the parts of the document information are read. */
  #enter(destination: RtfDestination): void {
    const isInformation = ["title", "author", "subject", "keywords"].includes(destination);
    if (this.#state.destination === "skip" && !isInformation) return;
    this.#state.destination = destination;
    if (destination === "fieldInstruction") this.#instruction = "";
    if (destination === "propertyName") this.#shapeProperty = "";
    if (destination === "listText") this.#story.listText = "";
    if (STORIES.has(destination)) this.#startStory(destination);
  }

  #startStory(destination: RtfDestination): void {
    this.#stories.push({ story: this.#story, depth: this.#stack.length, destination });
    this.#story = new RtfStory();
    this.#state.shift = undefined;
  }

  #endStory(): void {
    const outer = this.#stories.pop();
    if (outer === undefined) return;
    this.#endParagraph();
    const html = outer.destination === "box" ? this.#story.toHtml() : withoutParagraph(this.#story.toHtml());
    this.#budget.take(html.length / CHARACTERS_PER_STEP);
    this.#story = outer.story;
    if (outer.destination === "box") this.#story.addBox(html);
    else
      this.#story.html.push(
        outer.destination === "comment" ? this.#notes.addComment(html) : this.#notes.addNote(html.trim()),
      );
  }

  #formatting(name: string, value: number | undefined): void {
    const state = this.#state;
    if (formatCharacters(state, name, value !== 0)) return;
    switch (name) {
      case "uc":
        state.substitutes = Math.max(0, value ?? 1);
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
    if (WITHOUT_PARAGRAPHS.has(this.#state.destination)) return;
    const story = this.#story;
    switch (name) {
      case "pard":
        story.paragraph = PLAIN_PARAGRAPH;
        story.listText = "";
        break;
      case "s":
        story.paragraph = { ...story.paragraph, style: value };
        break;
      case "outlinelevel":
        story.paragraph = { ...story.paragraph, outlineLevel: value };
        break;
      case "ls":
        story.paragraph = { ...story.paragraph, isListItem: (value ?? 0) > 0 };
        break;
      case "ilvl":
        story.paragraph = { ...story.paragraph, listLevel: Math.max(0, value ?? 0) };
        break;
      case "intbl":
        story.paragraph = { ...story.paragraph, tableDepth: Math.max(1, story.paragraph.tableDepth) };
        break;
      case "itap":
        story.paragraph = { ...story.paragraph, tableDepth: Math.max(0, value ?? 0) };
        break;
      case "par":
      case "sect":
      case "page":
        this.#endParagraph();
        break;
      default:
        this.#tableFormatting(name, value ?? 0);
    }
  }

  #tableFormatting(name: string, value: number): void {
    const story = this.#story;
    switch (name) {
      case "cell":
      case "nestcell":
        story.paragraph = {
          ...story.paragraph,
          tableDepth: name === "cell" ? 1 : Math.max(2, story.paragraph.tableDepth),
        };
        this.#endParagraph();
        story.endCell();
        break;
      case "row":
      case "nestrow":
        story.endRow(name === "nestrow");
        break;
      case "trowd":
        story.startRow();
        break;
      case "trleft":
        story.setLeft(value);
        break;
      case "clmgf":
      case "clmrg":
        story.mergeAcross(name === "clmgf" ? "start" : "continued");
        break;
      case "clvmgf":
      case "clvmrg":
        story.mergeDown(name === "clvmgf" ? "start" : "continued");
        break;
      case "cellx":
        story.addCellEdge(value);
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

  /** Takes the second byte of a character, which some writers give as a plain letter; returns what is left of the token. */
  #withoutTrailByte(token: RtfToken): RtfToken {
    const text = token.type === "text" ? token.text : token.type === "symbol" ? token.symbol : "";
    const isTrail = token.type === "symbol" ? /[\\{}]/.test(text) : /^[@-\u00fe]/.test(text);
    if (!isTrail || !endsWithLeadByte(this.#bytes, this.#state.charset)) return token;
    this.#bytes.push(text.charCodeAt(0));
    return { type: "text", text: text.slice(1) };
  }

  #flushBytes(): void {
    if (this.#bytes.length === 0) return;
    const text = new TextDecoder(this.#state.charset).decode(Uint8Array.from(this.#bytes));
    this.#bytes = [];
    this.#add(text);
  }

  #add(text: string): void {
    if (text === "" || this.#state.hidden || this.#state.deleted) return;
    switch (this.#state.destination) {
      case "body":
      case "footnote":
      case "comment":
      case "box":
        this.#story.html.push(marked(text, this.#state));
        return;
      case "propertyName":
        this.#shapeProperty += text;
        return;
      case "propertyValue":
        if (this.#shapeProperty === SHAPE_TEXT) this.#shapeText += text;
        return;
      case "fieldInstruction":
        if (this.#instruction.length < MAX_INSTRUCTION) this.#instruction += text.slice(0, MAX_INSTRUCTION);
        return;
      case "listText":
        this.#story.listText += text;
        return;
      case "styles":
        // A semicolon ends the name.
        if (this.#style.name.length > MAX_STYLE_NAME || this.#style.name.includes(";")) return;
        this.#style.name += text;
        if (text.includes(";"))
          this.#styleNames.set(this.#style.number, this.#style.name.split(";", 1).join().trim().toLowerCase());
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

  #startFieldResult(): void {
    const field = this.#links.at(-1);
    const target = HYPERLINK.exec(this.#instruction)?.[1];
    // A field has one result.
    this.#instruction = "";
    if (field === undefined || target === undefined) return;
    field.href = target;
    field.start = this.#story.html.length;
    field.html = this.#story.html;
  }

  #closeGroup(): void {
    if (this.#stories.at(-1)?.depth === this.#stack.length) this.#endStory();
    const outer = this.#stack.pop();
    if (outer === undefined) return;
    if (this.#shapeText !== "" && this.#state.destination === "propertyValue") {
      this.#story.addBox(`<p>${escapeHtml(this.#shapeText)}</p>`);
      this.#shapeText = "";
    }
    this.#state = outer;
    const field = this.#links.at(-1);
    if (field === undefined || this.#stack.length >= field.depth) return;
    this.#links.pop();
    // Where a paragraph ended within a link, the rest of it is not a link.
    if (field.href === undefined || field.html !== this.#story.html) return;
    const html = this.#story.html.splice(field.start).join("");
    this.#budget.take(html.length / CHARACTERS_PER_STEP);
    this.#story.html.push(link(field.href, html));
  }

  #endParagraph(): void {
    this.#story.endParagraph(this.#styleNames.get(this.#story.paragraph.style ?? -1) ?? "");
  }
}

function decode(text: string, charset: string): string {
  // oxlint-disable-next-line no-control-regex -- ASCII needs no decoding
  if (/^[\x00-\x7f]*$/.test(text)) return text;
  return new TextDecoder(charset).decode(Uint8Array.from(text, (character) => character.charCodeAt(0)));
}
