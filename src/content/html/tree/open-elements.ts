import type { ElementNode } from "./element-node.ts";
import * as rules from "./tag-rules.ts";

/** The depth limit of Blink: deeper elements are placed side by side at this depth. */
const MAX_DEPTH = 512;

const PREFORMATTED = new Set(["pre", "textarea", "listing", "xmp", "plaintext"]);
const TABLE_PARTS = new Set(["table", "tbody", "thead", "tfoot", "tr"]);

type Namespace = "html" | "foreign";

/**
 * The stack of open elements (HTML § 13.2.4.2): which elements end when another begins, and which an end tag ends. The
 * parts of tree construction that real pages need: implied ends, scopes, text behind the body, forms in forms. Not
 * implemented: foster parenting and the copying of formatting elements into the blocks behind; a `</b>` inside of a
 * block that began within the bold text ends it together with that block.
 */
export class OpenElements {
  readonly #elements: ElementNode[];
  readonly #namespaces: Namespace[] = ["html"];
  /** Formatting elements whose end tag came while a block within was still open. */
  readonly #doomed = new Set<ElementNode>();
  /** Number of open elements below the deepest level, and the last of them, as long as it is open. */
  #flattened = 0;
  #lastFlattened: ElementNode | undefined;
  #paragraphs = 0;
  #preformatted = 0;
  readonly #seen = new Set<string>();
  #form: ElementNode | undefined;

  constructor(root: ElementNode) {
    this.#elements = [root];
  }

  get isForeign(): boolean {
    return this.#namespaces[this.#namespaces.length - 1] === "foreign";
  }

  get isPreformatted(): boolean {
    return this.#preformatted > 0;
  }

  /** True for start tags that have no effect: a second html, head or body, a form in a form, a select in a select. */
  isIgnored(tag: string): boolean {
    switch (tag) {
      case "html":
      case "body":
        return this.#seen.has(tag);
      case "head":
        return this.#seen.has(tag) || this.#seen.has("body");
      case "form":
        return this.#form !== undefined;
      case "select":
        return this.#endOpen("select", rules.SCOPE);
      default:
        return false;
    }
  }

  /** Ends the elements that an element of this tag closes when it begins. @returns its parent */
  parentFor(tag: string): ElementNode {
    if (this.isForeign && rules.BREAKS_OUT.has(tag)) while (this.isForeign) this.#pop();
    if (!this.isForeign) this.#endImplied(tag);
    return this.#top;
  }

  /** Returns the parent of a text; visible text ends the head. */
  parentForText(isBlank: boolean): ElementNode {
    if (!isBlank && this.#top.tag === "head") this.#pop();
    return this.#lastFlattened ?? this.#top;
  }

  hasParagraph(): boolean {
    return this.#paragraphs > 0 && this.#find("p", rules.BUTTON_SCOPE) > 0;
  }

  push(element: ElementNode): void {
    const { tag } = element;
    if (this.#elements.length > MAX_DEPTH) {
      this.#flattened++;
      this.#lastFlattened = element;
      return;
    }
    this.#namespaces.push(this.#namespaceWithin(tag));
    this.#elements.push(element);
    if (tag === "p") this.#paragraphs++;
    else if (PREFORMATTED.has(tag)) this.#preformatted++;
    else if (tag === "form") this.#form = element;
    else if (tag === "html" || tag === "head" || tag === "body") this.#seen.add(tag);
  }

  /** Processes an end tag. One that matches nothing is ignored. */
  close(tag: string): void {
    if (tag === "html" || tag === "body") return;
    if (this.#flattened > 0) {
      this.#flattened--;
      this.#lastFlattened = undefined;
      return;
    }
    if (tag === "form") this.#closeForm();
    else if (rules.HEADING_TAGS.has(tag)) this.#closeHeading();
    else if (tag === "li") this.#endOpen(tag, rules.LIST_SCOPE);
    else if (tag === "p") this.#endOpen(tag, rules.BUTTON_SCOPE);
    else if (tag === "table" || rules.TABLE_PARENTS.has(tag)) this.#endOpen(tag, rules.TABLE_SCOPE);
    else if (rules.SPECIAL_TAGS.has(tag) || rules.FOREIGN_HOLDERS.has(tag)) this.#endOpen(tag, rules.SCOPE);
    else this.#closePhrase(tag);
  }

  get #top(): ElementNode {
    return this.#elements[this.#elements.length - 1] as ElementNode;
  }

  #namespaceWithin(tag: string): Namespace {
    if (tag === "svg" || tag === "math") return "foreign";
    return this.isForeign && !rules.INTEGRATION_POINTS.has(tag) ? "foreign" : "html";
  }

  #endImplied(tag: string): void {
    const top = this.#top;
    if (top.tag === "head" && !rules.HEAD_TAGS.has(tag)) this.#pop();
    if (rules.CLOSES_PARAGRAPH.has(tag)) this.#endBeforeBlock(tag);
    else if (rules.TABLE_PARENTS.has(tag)) this.#popAbove(rules.TABLE_PARENTS.get(tag) as ReadonlySet<string>);
    else if (tag === "a") this.#endLink();
    else if (tag === "button") this.#endOpen(tag, rules.SCOPE);
    else if (tag === "option") this.#popTop("option");
    else if (tag === "optgroup") this.#popTop("option", "optgroup");
    else if (tag === "rt" || tag === "rp") this.#popTop("rt", "rp");
    else if (tag === "input" || tag === "textarea") this.#popTop("option", "select");
    else if (tag === "body") while (this.#elements.length > 1 && this.#top.tag !== "html") this.#pop();
  }

  #endBeforeBlock(tag: string): void {
    if (tag === "li") this.#endItem("li");
    else if (tag === "dd" || tag === "dt") this.#endItem("dd", "dt");
    else if (tag === "table" && TABLE_PARTS.has(this.#top.tag)) this.#endOpen("table", rules.TABLE_SCOPE);
    if (this.#paragraphs > 0) this.#endOpen("p", rules.BUTTON_SCOPE);
    if (rules.HEADING_TAGS.has(tag) && rules.HEADING_TAGS.has(this.#top.tag)) this.#pop();
  }

  /** Ends the item before, at any depth within it, but not the item of an outer list. */
  #endItem(...tags: string[]): void {
    for (let index = this.#elements.length - 1; index > 0; index--) {
      const { tag } = this.#at(index);
      if (tags.includes(tag)) {
        this.#popTo(index);
        return;
      }
      if (rules.SPECIAL_TAGS.has(tag) && tag !== "address" && tag !== "div" && tag !== "p") return;
    }
  }

  /** Links do not nest. */
  #endLink(): void {
    const index = this.#find("a", rules.SCOPE);
    if (index > 0) this.#endFormatting(index);
  }

  #closeForm(): void {
    const index = this.#form === undefined ? -1 : this.#elements.lastIndexOf(this.#form);
    // A form that ends inside another element stays on the stack; what follows in there belongs to it.
    if (index > 0 && !this.#isSpecialAbove(index)) this.#popTo(index);
    this.#form = undefined;
  }

  #closeHeading(): void {
    for (let index = this.#elements.length - 1; index > 0; index--) {
      const { tag } = this.#at(index);
      if (rules.HEADING_TAGS.has(tag)) {
        this.#popTo(index);
        return;
      }
      if (rules.SCOPE.has(tag)) return;
    }
  }

  #closePhrase(tag: string): void {
    const index = this.#find(tag, rules.SCOPE);
    if (index < 0) return;
    if (rules.FORMATTING_TAGS.has(tag)) this.#endFormatting(index);
    else if (!this.#isSpecialAbove(index)) this.#popTo(index);
  }

  /** Formatting around a block that is still open ends together with that block. */
  #endFormatting(index: number): void {
    if (this.#isSpecialAbove(index)) this.#doomed.add(this.#at(index));
    else this.#popTo(index);
  }

  #isSpecialAbove(index: number): boolean {
    for (let above = index + 1; above < this.#elements.length; above++) {
      if (rules.SPECIAL_TAGS.has(this.#at(above).tag)) return true;
    }
    return false;
  }

  /** Ends an open element of this tag in this scope. @returns true when there was one */
  #endOpen(tag: string, scope: ReadonlySet<string>): boolean {
    const index = this.#find(tag, scope);
    if (index > 0) this.#popTo(index);
    return index > 0;
  }

  #find(tag: string, scope: ReadonlySet<string>): number {
    for (let index = this.#elements.length - 1; index > 0; index--) {
      const element = this.#at(index);
      if (element.tag === tag && !this.#doomed.has(element)) return index;
      if (scope.has(element.tag)) return -1;
    }
    return -1;
  }

  /** Pops down to the nearest of some elements, which stays; nothing when none is open. */
  #popAbove(tags: ReadonlySet<string>): void {
    for (let index = this.#elements.length - 1; index > 0; index--) {
      if (tags.has(this.#at(index).tag)) {
        if (index < this.#elements.length - 1) this.#popTo(index + 1);
        return;
      }
    }
  }

  #popTop(...tags: string[]): void {
    while (tags.includes(this.#top.tag)) this.#pop();
  }

  #popTo(index: number): void {
    while (this.#elements.length > index) this.#pop();
    while (this.#doomed.size > 0 && this.#doomed.has(this.#top)) this.#pop();
  }

  #pop(): void {
    if (this.#elements.length < 2) return;
    const element = this.#elements.pop() as ElementNode;
    this.#namespaces.pop();
    this.#flattened = 0;
    this.#lastFlattened = undefined;
    if (element.tag === "p") this.#paragraphs--;
    else if (PREFORMATTED.has(element.tag)) this.#preformatted--;
    else if (element === this.#form) this.#form = undefined;
    this.#doomed.delete(element);
  }

  #at(index: number): ElementNode {
    return this.#elements[index] as ElementNode;
  }
}
