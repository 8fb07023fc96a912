import { type TokenizerCallbacks, Tokenizer } from "htmlparser2";

/** What is told of a page's tags and texts, in the order of the source. Names are in lower case, entities decoded. */
export interface TagSink {
  openTag(tag: string, attributes: Readonly<Record<string, string>>, isSelfClosing: boolean): void;
  closeTag(tag: string): void;
  /** A text may come in several pieces. */
  text(text: string): void;
  /** True inside of SVG and MathML, where other rules hold for texts. */
  readonly isForeign: boolean;
}

export const NO_ATTRIBUTES: Readonly<Record<string, string>> = Object.freeze({});

/** Attributes have no prototype to find `constructor` in, and are still plain fast objects. */
// oxlint-disable-next-line typescript/no-extraneous-class -- objects of one class share their layout, those without any do not
class Attributes {}
Object.setPrototypeOf(Attributes.prototype, null);
Reflect.deleteProperty(Attributes.prototype, "constructor");

/**
 * Reads the tags of a page by htmlparser2's tokenizer, without keeping account of which are open: that costs quadratic time
 * in pages that nest deep.
 */
export function readTags(html: string, sink: TagSink): void {
  const tokenizer = new Tokenizer({ decodeEntities: true }, new TagReader(html, sink));
  tokenizer.write(html);
  tokenizer.end();
}

class TagReader implements TokenizerCallbacks {
  private readonly html: string;
  private readonly sink: TagSink;
  private readonly names = new Map<string, string>();
  private tag = "";
  private attributes = NO_ATTRIBUTES;
  private attributeName = "";
  private attributeValue = "";

  constructor(html: string, sink: TagSink) {
    this.html = html;
    this.sink = sink;
  }

  onopentagname(start: number, end: number): void {
    const tag = this.nameAt(start, end);
    this.tag = tag === "image" ? "img" : tag;
    this.attributes = NO_ATTRIBUTES;
  }

  onattribname(start: number, end: number): void {
    this.attributeName = this.nameAt(start, end);
    this.attributeValue = "";
  }

  onattribdata(start: number, end: number): void {
    const data = this.html.slice(start, end);
    this.attributeValue = this.attributeValue === "" ? data : this.attributeValue + data;
  }

  onattribentity(codePoint: number): void {
    this.attributeValue += String.fromCodePoint(codePoint);
  }

  onattribend(): void {
    if (this.attributes === NO_ATTRIBUTES) this.attributes = new Attributes() as Record<string, string>;
    else if (this.attributeName in this.attributes) return;
    (this.attributes as Record<string, string>)[this.attributeName] = this.attributeValue;
  }

  onopentagend(): void {
    this.sink.openTag(this.tag, this.attributes, false);
  }

  onselfclosingtag(): void {
    this.sink.openTag(this.tag, this.attributes, true);
  }

  onclosetag(start: number, end: number): void {
    this.sink.closeTag(this.nameAt(start, end));
  }

  ontext(start: number, end: number): void {
    this.sink.text(this.html.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    this.sink.text(String.fromCodePoint(codePoint));
  }

  oncdata(start: number, end: number, offset: number): void {
    if (this.sink.isForeign) this.sink.text(this.html.slice(start, end - offset));
  }

  isInForeignContext(): boolean {
    return this.sink.isForeign;
  }

  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}

  /** Names in lower case, one string for all that are the same. */
  private nameAt(start: number, end: number): string {
    const source = this.html.slice(start, end);
    const known = this.names.get(source);
    if (known !== undefined) return known;
    const name = source.toLowerCase();
    if (this.names.size < 5000) this.names.set(source, name);
    return name;
  }
}
