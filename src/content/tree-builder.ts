import { type TokenizerCallbacks, Tokenizer } from "htmlparser2";
import { ElementNode, type HtmlTree } from "./element-node.ts";
import { HeadRecorder } from "./head-recorder.ts";
import { OpenElements } from "./open-elements.ts";
import { VOID_TAGS } from "./tag-rules.ts";

const NO_ATTRIBUTES: Readonly<Record<string, string>> = Object.freeze({});
const BLANK = /^[ \t\n\r\f]+$/;

/** Attributes have no prototype to find `constructor` in, and are still plain fast objects. */
// oxlint-disable-next-line typescript/no-extraneous-class -- objects of one class share their layout, those without any do not
class Attributes {}
Object.setPrototypeOf(Attributes.prototype, null);
Reflect.deleteProperty(Attributes.prototype, "constructor");

/** Builds a tree from tokens; which elements end when others begin is told by `OpenElements`. */
export class TreeBuilder implements TokenizerCallbacks {
  private readonly html: string;
  private readonly open: OpenElements;
  private readonly recorder = new HeadRecorder();
  private readonly root = new ElementNode("#root", NO_ATTRIBUTES, undefined);
  private readonly names = new Map<string, string>();
  private tag = "";
  private attributes = NO_ATTRIBUTES;
  private attributeName = "";
  private attributeValue = "";

  constructor(html: string) {
    this.html = html;
    this.open = new OpenElements(this.root);
  }

  build(): HtmlTree {
    const tokenizer = new Tokenizer({ decodeEntities: true }, this);
    tokenizer.write(this.html);
    tokenizer.end();
    return { root: this.root, head: this.recorder.head };
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
    this.openElement(false);
  }

  onselfclosingtag(): void {
    this.openElement(this.open.isForeign);
  }

  onclosetag(start: number, end: number): void {
    const tag = this.nameAt(start, end);
    this.recorder.close(tag);
    if (tag === "br" || (tag === "p" && !this.open.hasParagraph())) {
      const parent = this.open.parentFor(tag);
      parent.append(new ElementNode(tag, NO_ATTRIBUTES, parent));
    } else if (!VOID_TAGS.has(tag)) this.open.close(tag);
  }

  ontext(start: number, end: number): void {
    this.addText(this.html.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    this.addText(String.fromCodePoint(codePoint));
  }

  oncdata(start: number, end: number, offset: number): void {
    this.addText(this.html.slice(start, end - offset));
  }

  isInForeignContext(): boolean {
    return this.open.isForeign;
  }

  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}

  private openElement(isClosed: boolean): void {
    const { tag, attributes } = this;
    this.recorder.open(tag, attributes, this.open.isForeign);
    if (this.open.isIgnored(tag)) return;
    const parent = this.open.parentFor(tag);
    const element = new ElementNode(tag, attributes, parent);
    parent.append(element);
    if (!isClosed && !VOID_TAGS.has(tag)) this.open.push(element);
  }

  private addText(text: string): void {
    if (this.recorder.takesText(text)) return;
    const isBlank = text.charCodeAt(0) <= 32 && BLANK.test(text);
    const parent = this.open.parentForText(isBlank);
    if (!isBlank || this.open.isPreformatted) parent.append(text);
    else parent.append(text.includes("\n") ? "\n" : " ");
  }

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
