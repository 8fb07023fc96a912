const NO_CHILDREN: (ElementNode | string)[] = [];

/** An element; text children are bare strings, so that a page costs one object an element. */
export class ElementNode {
  /** Lower case; `#root` for the root. */
  readonly tag: string;
  /** Names in lower case, values decoded; one shared empty object where there are none. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly parent: ElementNode | undefined;
  #list: (ElementNode | string)[] = NO_CHILDREN;
  /** Private, so that code that enumerates an element's fields does not see it: it is not part of the element. */
  #next: ElementNode | undefined;

  constructor(tag: string, attributes: Readonly<Record<string, string>>, parent: ElementNode | undefined) {
    this.tag = tag;
    this.attributes = attributes;
    this.parent = parent;
  }

  get children(): readonly (ElementNode | string)[] {
    return this.#list;
  }

  /** The next element of the page in document order: all elements of a page form a chain from its root. */
  get next(): ElementNode | undefined {
    return this.#next;
  }

  setNext(next: ElementNode | undefined): void {
    this.#next = next;
  }

  /** Replaces the children. The caller updates the `next` links of this element and of the children. */
  adopt(children: readonly (ElementNode | string)[]): void {
    this.#list = NO_CHILDREN;
    for (const child of children) {
      if (typeof child !== "string") (child as { parent: ElementNode | undefined }).parent = this;
      this.append(child);
    }
  }

  /** Appends a child. Text behind text is merged with it. */
  append(child: ElementNode | string): void {
    const list = this.#list;
    const { length } = list;
    const last = list[length - 1];
    // Lists of just the right size: most elements have few children, and a list that grows reserves room for sixteen
    // more.
    if (last === undefined) this.#list = [child];
    else if (typeof child === "string" && typeof last === "string") list[length - 1] = last + child;
    else if (length === 1) this.#list = [last, child];
    else if (length === 2) this.#list = [list[0]!, last, child];
    else if (length === 3) this.#list = [list[0]!, list[1]!, last, child];
    else list.push(child);
  }
}

/** The contents of a page's head, gathered while parsing. Metas and links of the body count as well. */
export interface HtmlHead {
  title: string;
  metas: Record<string, string>[];
  links: Record<string, string>[];
  /** `href` of the first `<base>` that counts (`isBase`); empty without one. */
  baseHref: string;
  /** Text of each JSON-LD script. */
  jsonLd: string[];
  /** `lang` of the root element. */
  language: string;
}

export interface HtmlTree {
  root: ElementNode;
  /** Number of elements, without the root. */
  elementCount: number;
  head: HtmlHead;
}
