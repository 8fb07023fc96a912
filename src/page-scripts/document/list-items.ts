import type { ListItem, ScrolledList } from "../page-functions.ts";
import { bytesInMessage } from "./message-bytes.ts";

/** Attributes in which lists state the identity or the place of an item, the most reliable first. */
const PLACES = [
  "aria-posinset",
  "aria-rowindex",
  "data-index",
  "data-item-index",
  "data-row-index",
  "data-known-size-index",
];
const KEYS = ["data-id", "data-key", "data-item-id", "data-testid-id", "data-uuid", "data-asin", "id"];
/** Share of the visible part by which a list is scrolled: the next part overlaps with this one. */
const STEP = 0.8;
/** Larger items are cut out of the result. */
const MAX_ITEM = 200_000;
/** Bytes of a message around the texts of an item. */
const BYTES_AROUND = 40;

export function readItems(selector: string, maxItems: number, maxMessageBytes: number): ListItem[] {
  const elements = [...document.querySelectorAll(selector)].slice(0, maxItems);
  let bytes = 0;
  return inVisualOrder(elements).flatMap((element) => {
    // The items of one part are in one message; further ones are left out.
    if (bytes > maxMessageBytes) return [];
    const copy = element.cloneNode(true) as HTMLElement;
    // The place that a virtual list gave the item on the screen.
    copy.removeAttribute("style");
    const html = copy.outerHTML;
    if (html.length > MAX_ITEM) return [];
    const item = { html, key: keyOf(element), content: contentOf(element) };
    bytes += BYTES_AROUND + bytesInMessage(html) + bytesInMessage(item.key) + bytesInMessage(item.content);
    return bytes > maxMessageBytes ? [] : [item];
  });
}

/** Virtual lists reuse elements, whose order in the document is then not the order on the screen. */
function inVisualOrder(elements: Element[]): Element[] {
  const places = elements.map(placeOf);
  const byPlace = (index: number): number => places[index] ?? 0;
  const indexes = elements.map((_, index) => index);
  if (places.every((place) => place !== undefined)) {
    return indexes.toSorted((left, right) => byPlace(left) - byPlace(right)).flatMap((index) => elements[index] ?? []);
  }
  const isPlaced = elements.some((element) => {
    const { position, transform } = getComputedStyle(element);
    return position === "absolute" || position === "fixed" || transform !== "none";
  });
  if (!isPlaced) return elements;
  const boxes = new Map(elements.map((element) => [element, element.getBoundingClientRect()]));
  return elements.toSorted((left, right) => {
    const [a, b] = [boxes.get(left), boxes.get(right)];
    return a === undefined || b === undefined ? 0 : a.top - b.top || a.left - b.left;
  });
}

function placeOf(element: Element): number | undefined {
  for (const name of PLACES) {
    const value = element.getAttribute(name);
    if (value !== null && /^\d{1,9}$/.test(value)) return Number(value);
  }
  return undefined;
}

/** Returns what identifies an item in its list; an empty text when only its content does. */
function keyOf(element: Element): string {
  const names = [...PLACES, ...KEYS];
  const name = names.find((candidate) => (element.getAttribute(candidate) ?? "") !== "");
  if (name !== undefined) return `${name}=${element.getAttribute(name) ?? ""}`;
  const link = element.matches("a[href]") ? element : element.querySelector("a[href]");
  return link instanceof HTMLAnchorElement ? `href=${link.href}` : "";
}

/** Returns what an item shows, without the state of its markup: it changes while the pointer is over an item. */
function contentOf(element: Element): string {
  const addresses = [...element.querySelectorAll("a[href], img[src]")].map(
    (linked) => linked.getAttribute("href") ?? linked.getAttribute("src"),
  );
  return [element.textContent.replace(/\s+/g, " ").trim(), ...addresses].join("\n");
}

export function scrollList(selector: string, within: string | null): ScrolledList {
  const list = within === null ? scrollerOf(document.querySelector(selector)) : document.querySelector(within);
  if (list === null) return { isMissing: true, isAtEnd: true };
  const before = list.scrollTop;
  list.scrollBy({ top: STEP * list.clientHeight, behavior: "instant" });
  const isAtEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 2;
  // Some lists load when their end is seen, and do not listen to scrolling.
  if (list.scrollTop === before) document.querySelector(`${selector}:last-of-type`)?.scrollIntoView({ block: "end" });
  return { isMissing: false, isAtEnd };
}

/** Returns the closest element around an item that scrolls. */
function scrollerOf(item: Element | null): Element | null {
  for (let element = item?.parentElement ?? null; element !== null; element = element.parentElement) {
    const { overflowY } = getComputedStyle(element);
    if (/auto|scroll|overlay/.test(overflowY) && element.scrollHeight > element.clientHeight + 1) return element;
  }
  return document.scrollingElement;
}

export function canLoadMore(selector: string): boolean {
  const button = document.querySelector(selector);
  if (button === null || button.getAttribute("aria-disabled") === "true") return false;
  if (button instanceof HTMLButtonElement && button.disabled) return false;
  return (
    button.checkVisibility({ visibilityProperty: true }) && !/(?:^|\s)(?:is-)?disabled(?:\s|$)/.test(button.className)
  );
}

export function showItems(selector: string, items: readonly string[]): void {
  const first = document.querySelector(selector);
  const list = first?.parentElement ?? document.body;
  for (const element of document.querySelectorAll(selector)) if (element !== first) element.remove();
  // A copy of the list: the page's scripts keep the original, which they would fill anew.
  const copy = list.cloneNode(false) as HTMLElement;
  copy.innerHTML = items.join("\n");
  const shown = [...copy.childNodes];
  if (first === null) return document.body.append(...shown);
  if (list === document.body) return first.replaceWith(...shown);
  if (list.childElementCount === 1) copy.removeAttribute("style");
  copy.replaceChildren(...[...list.childNodes].flatMap((node) => (node === first ? shown : [node])));
  list.replaceWith(copy);
}
