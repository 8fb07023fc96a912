import { keepShape } from "../../../core/kept-shapes.ts";
import type { WorkBudget } from "../../../core/work-budget.ts";
import { ElementNode, type HtmlTree } from "./element-node.ts";
import { HeadRecorder } from "./head-recorder.ts";
import { OpenElements } from "./open-elements.ts";
import { revealMailLink, revealMailText } from "../protected-email.ts";
import { StreamedParts } from "../streamed-parts.ts";
import { NO_ATTRIBUTES, readTags, type TagSink } from "./tag-reader.ts";
import { VOID_TAGS } from "./tag-rules.ts";

const BLANK = /^[ \t\n\r\f]+$/;

/** Builds a tree from tags; `OpenElements` decides which elements end when others begin. */
export class TreeBuilder implements TagSink {
  readonly #recorder = new HeadRecorder();
  readonly #root = new ElementNode("#root", NO_ATTRIBUTES, undefined);
  readonly #open = new OpenElements(this.#root);
  #last = this.#root;
  #elementCount = 0;
  /** Set only for pages that have late parts. */
  #streamed: StreamedParts | undefined;
  #mails: ElementNode[] | undefined;

  constructor() {
    keepShape(this);
  }

  get isForeign(): boolean {
    return this.#open.isForeign;
  }

  build(html: string, budget?: WorkBudget): HtmlTree {
    readTags(html, this, budget);
    for (const element of this.#mails ?? []) revealMailText(element);
    if (this.#streamed !== undefined) this.#elementCount = this.#streamed.place(this.#root);
    return { root: this.#root, elementCount: this.#elementCount, head: this.#recorder.head };
  }

  openTag(tag: string, attributes: Readonly<Record<string, string>>, isSelfClosing: boolean): void {
    const { isForeign } = this;
    this.#recorder.open(tag, attributes, { isForeign, isClosed: isForeign && isSelfClosing });
    if (this.#open.isIgnored(tag)) return;
    const isClosed = VOID_TAGS.has(tag) || (isSelfClosing && (this.isForeign || tag === "svg" || tag === "math"));
    if (tag === "a") revealMailLink(attributes);
    const parent = this.#open.parentFor(tag);
    const element = this.#addElement(tag, attributes, parent);
    if ((tag === "a" || tag === "span") && attributes["data-cfemail"] !== undefined) (this.#mails ??= []).push(element);
    if (!isClosed) this.#open.push(element);
  }

  closeTag(tag: string): void {
    this.#recorder.close(tag);
    if (tag === "br" || (tag === "p" && !this.#open.hasParagraph())) {
      this.#addElement(tag, NO_ATTRIBUTES, this.#open.parentFor(tag));
    } else if (!VOID_TAGS.has(tag)) this.#open.close(tag);
  }

  #addElement(tag: string, attributes: Readonly<Record<string, string>>, parent: ElementNode): ElementNode {
    const element = new ElementNode(tag, attributes, parent);
    parent.append(element);
    this.#last.setNext(element);
    this.#last = element;
    this.#elementCount++;
    if (tag === "template" && StreamedParts.isTarget(tag, attributes)) this.#streamed ??= new StreamedParts();
    this.#streamed?.note(element);
    return element;
  }

  text(text: string, isKnownBlank = false): void {
    if (this.#recorder.takesText(text)) {
      this.#streamed?.noteScript(text);
      return;
    }
    const isBlank = isKnownBlank || (text.charCodeAt(0) <= 32 && BLANK.test(text));
    const parent = this.#open.parentForText(isBlank);
    if (!isBlank || this.#open.isPreformatted) parent.append(text);
    else parent.append(text.includes("\n") ? "\n" : " ");
  }

  comment(comment: string): void {
    this.#streamed?.noteComment(comment, this.#open.parentForText(true));
  }
}
