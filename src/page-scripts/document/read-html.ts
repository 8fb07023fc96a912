import type { RenderedHtml } from "../page-functions.ts";
import { lengthInMessage } from "./message-bytes.ts";

const MAX_FRAME_DEPTH = 8;
const MAX_DEPTH = 3_000;
const FRAME_ATTRIBUTES = ["src", "title", "id", "class", "name"];

/**
 * Serialises the page's current HTML, with what outerHTML leaves out: open shadow roots replace the children of their
 * hosts (slots filled), and readable frames become `<div data-original-tag="iframe">`.
 */
export function readHtml(maxLength: number, maxMessageBytes: number): RenderedHtml {
  // Missing when a script has removed it.
  const root = document.documentElement as Element | null;
  const tree = root !== null && isComposed() ? new Composer().copyOf(root, 0) : root;
  const { doctype } = document;
  const html = (doctype ? `<!DOCTYPE ${doctype.name}>` : "") + (tree instanceof Element ? tree.outerHTML : "");
  const length = Math.min(maxLength, lengthInMessage(html, maxMessageBytes));
  return {
    html: html.slice(0, length),
    isCut: html.length > length,
    url: location.href,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}

function isComposed(): boolean {
  const hasShadow = [...document.querySelectorAll("*")].some(({ shadowRoot }) => shadowRoot !== null);
  return hasShadow || document.querySelector("iframe, frame") !== null;
}

/** Copies a page to a document of its own, in which nothing loads or runs. */
class Composer {
  readonly #target = document.implementation.createHTMLDocument("");
  #frameDepth = 0;

  /** Returns null for a node that is too deep. */
  copyOf(node: Node, depth: number): Node | null {
    if (depth > MAX_DEPTH) return null;
    if (!isElement(node)) return this.#target.importNode(node, false);
    if (node.localName === "slot" && node.getRootNode() instanceof ShadowRoot) {
      return this.#copySlot(node as HTMLSlotElement, depth);
    }
    const body = isFrame(node) && this.#frameDepth < MAX_FRAME_DEPTH ? bodyOf(node) : null;
    if (body !== null && body.childNodes.length > 0) return this.#copyFrame(node, body, depth);
    const isTemplate = node.localName === "template";
    const copy = this.#target.importNode(node, isTemplate);
    if (!isTemplate) this.#append(copy, (node.shadowRoot ?? node).childNodes, depth);
    return copy;
  }

  #copySlot(slot: HTMLSlotElement, depth: number): Node {
    const assigned = slot.assignedNodes({ flatten: true });
    const fragment = this.#target.createDocumentFragment();
    this.#append(fragment, assigned.length > 0 ? assigned : slot.childNodes, depth);
    return fragment;
  }

  #copyFrame(frame: Element, body: Element, depth: number): Node {
    const copy = this.#target.createElement("div");
    copy.setAttribute("data-original-tag", "iframe");
    for (const name of FRAME_ATTRIBUTES) {
      const value = frame.getAttribute(name);
      if (value !== null) copy.setAttribute(name, value);
    }
    this.#frameDepth += 1;
    this.#append(copy, body.childNodes, depth);
    this.#frameDepth -= 1;
    return copy;
  }

  #append(parent: ParentNode, nodes: Iterable<Node>, depth: number): void {
    for (const node of nodes) {
      const copy = this.copyOf(node, depth + 1);
      if (copy !== null) parent.append(copy);
    }
  }
}

/** Nodes of a frame are no instances of this window's classes. */
function isElement(node: Node): node is Element {
  return node.nodeType === Node.ELEMENT_NODE;
}

function isFrame(element: Element): element is HTMLIFrameElement {
  return element.localName === "iframe" || element.localName === "frame";
}

function bodyOf(frame: HTMLIFrameElement): Element | null {
  try {
    return frame.contentDocument?.body ?? null;
  } catch {
    return null;
  }
}
