import type { ElementNode } from "./element-node.ts";
import { Rule, rulesOf, TABLE_PARENTS } from "./tag-rules.ts";

/** The depth limit of Blink: deeper elements are placed side by side at this depth. */
export const MAX_DEPTH = 512;

type Namespace = "html" | "foreign";

/**
 * The stack of open elements (HTML § 13.2.4.2): which elements end when another begins, and which an end tag ends. The
 * parts of tree construction that real pages need: implied ends, scopes, text behind the body, forms in forms. Not
 * implemented: foster parenting and the copying of formatting elements into the blocks behind; a `</b>` inside of a
 * block that began within the bold text ends it together with that block.
 */
export class OpenElements {
  readonly #elements: ElementNode[];
  /** Bits of `Rule` for each of them. */
  readonly #rules: number[] = [0];
  readonly #namespaces: Namespace[] = ["html"];
  /** Formatting elements whose end tag came while a block within was still open. */
  readonly #doomed = new Set<ElementNode>();
  /** Number of open elements below the deepest level, and the last of them, as long as it is open. */
  #flattened = 0;
  #lastFlattened: ElementNode | undefined;
  /** Numbers of open elements of some kinds, so that others are not searched for them. */
  #paragraphs = 0;
  #links = 0;
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
        return this.#endOpen("select", Rule.scope);
      default:
        return false;
    }
  }

  /** Ends the elements that an element of this tag closes when it begins. @returns its parent */
  parentFor(tag: string): ElementNode {
    if (this.isForeign && (rulesOf(tag) & Rule.breaksOut) !== 0) while (this.isForeign) this.#pop();
    if (!this.isForeign) this.#endImplied(tag);
    return this.#top;
  }

  /** Returns the parent of a text; visible text ends the head. */
  parentForText(isBlank: boolean): ElementNode {
    if (!isBlank && this.#top.tag === "head") this.#pop();
    return this.#lastFlattened ?? this.#top;
  }

  hasParagraph(): boolean {
    return this.#paragraphs > 0 && this.#find("p", Rule.buttonScope) > 0;
  }

  push(element: ElementNode): void {
    const { tag } = element;
    const rules = rulesOf(tag);
    if (this.#elements.length > MAX_DEPTH) {
      this.#flattened++;
      this.#lastFlattened = element;
      return;
    }
    this.#namespaces.push(this.#namespaceWithin(tag, rules));
    this.#elements.push(element);
    this.#rules.push(rules);
    if (tag === "p") this.#paragraphs++;
    else if (tag === "a") this.#links++;
    else if ((rules & Rule.preformatted) !== 0) this.#preformatted++;
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
    const rules = rulesOf(tag);
    if (tag === "form") this.#closeForm();
    else if ((rules & Rule.heading) !== 0) this.#closeHeading();
    else if (tag === "li") this.#endOpen(tag, Rule.listScope);
    else if (tag === "p") this.#endOpen(tag, Rule.buttonScope);
    else if (tag === "table" || (rules & Rule.inTable) !== 0) this.#endOpen(tag, Rule.tableScope);
    else if ((rules & (Rule.special | Rule.foreignHolder)) !== 0) this.#endOpen(tag, Rule.scope);
    else this.#closePhrase(tag, rules);
  }

  get #top(): ElementNode {
    return this.#elements[this.#elements.length - 1] as ElementNode;
  }

  #namespaceWithin(tag: string, rules: number): Namespace {
    if (tag === "svg" || tag === "math") return "foreign";
    return this.isForeign && (rules & Rule.integrationPoint) === 0 ? "foreign" : "html";
  }

  #endImplied(tag: string): void {
    const rules = rulesOf(tag);
    if (this.#top.tag === "head" && (rules & Rule.head) === 0) this.#pop();
    if ((rules & Rule.closesParagraph) !== 0) this.#endBeforeBlock(tag, rules);
    else if ((rules & Rule.inTable) !== 0) this.#popAbove(TABLE_PARENTS.get(tag) as ReadonlySet<string>);
    else if (tag === "a") this.#endLink();
    else if (tag === "button") this.#endOpen(tag, Rule.scope);
    else if (tag === "option") this.#popTop("option");
    else if (tag === "optgroup") this.#popTop("option", "optgroup");
    else if (tag === "rt" || tag === "rp") this.#popTop("rt", "rp");
    else if (tag === "input" || tag === "textarea") this.#popTop("option", "select");
    else if (tag === "body") while (this.#elements.length > 1 && this.#top.tag !== "html") this.#pop();
  }

  #endBeforeBlock(tag: string, rules: number): void {
    if (tag === "li") this.#endItem("li");
    else if (tag === "dd" || tag === "dt") this.#endItem("dd", "dt");
    else if (tag === "table" && (this.#topRules & Rule.tablePart) !== 0) this.#endOpen("table", Rule.tableScope);
    if (this.#paragraphs > 0) this.#endOpen("p", Rule.buttonScope);
    if ((rules & this.#topRules & Rule.heading) !== 0) this.#pop();
  }

  /** Ends the item before, at any depth within it, but not the item of an outer list. */
  #endItem(...tags: string[]): void {
    for (let index = this.#elements.length - 1; index > 0; index--) {
      const { tag } = this.#at(index);
      if (tags.includes(tag)) {
        this.#popTo(index);
        return;
      }
      if ((this.#rulesAt(index) & Rule.special) !== 0 && tag !== "address" && tag !== "div" && tag !== "p") return;
    }
  }

  /** Links do not nest. */
  #endLink(): void {
    const index = this.#links === 0 ? -1 : this.#find("a", Rule.scope);
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
      const rules = this.#rulesAt(index);
      if ((rules & Rule.heading) !== 0) {
        this.#popTo(index);
        return;
      }
      if ((rules & Rule.scope) !== 0) return;
    }
  }

  #closePhrase(tag: string, rules: number): void {
    const index = this.#find(tag, Rule.scope);
    if (index < 0) return;
    if ((rules & Rule.formatting) !== 0) this.#endFormatting(index);
    else if (!this.#isSpecialAbove(index)) this.#popTo(index);
  }

  /** Formatting around a block that is still open ends together with that block. */
  #endFormatting(index: number): void {
    if (this.#isSpecialAbove(index)) this.#doomed.add(this.#at(index));
    else this.#popTo(index);
  }

  #isSpecialAbove(index: number): boolean {
    for (let above = index + 1; above < this.#elements.length; above++) {
      if ((this.#rulesAt(above) & Rule.special) !== 0) return true;
    }
    return false;
  }

  /** Ends an open element of this tag in this scope, which is a bit of `Rule`. @returns true when there was one */
  #endOpen(tag: string, scope: number): boolean {
    const index = this.#find(tag, scope);
    if (index > 0) this.#popTo(index);
    return index > 0;
  }

  #find(tag: string, scope: number): number {
    for (let index = this.#elements.length - 1; index > 0; index--) {
      const element = this.#at(index);
      if (element.tag === tag && !this.#doomed.has(element)) return index;
      if ((this.#rulesAt(index) & scope) !== 0) return -1;
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
    const rules = this.#rules.pop() as number;
    this.#namespaces.pop();
    this.#flattened = 0;
    this.#lastFlattened = undefined;
    if (element.tag === "p") this.#paragraphs--;
    else if (element.tag === "a") this.#links--;
    else if ((rules & Rule.preformatted) !== 0) this.#preformatted--;
    else if (element === this.#form) this.#form = undefined;
    if (this.#doomed.size > 0) this.#doomed.delete(element);
  }

  get #topRules(): number {
    return this.#rulesAt(this.#rules.length - 1);
  }

  #rulesAt(index: number): number {
    return this.#rules[index] as number;
  }

  #at(index: number): ElementNode {
    return this.#elements[index] as ElementNode;
  }
}
