import DOMPurify from "dompurify";
import { linkSources } from "./link-sources.ts";
import { splitMarked } from "./mark-text.ts";
import { parseMarkdown } from "./parse-markdown.ts";

/** Sanitizer settings for untrusted text: no scripts, styles, forms, frames or resources that load automatically. */
const CLEANING = {
  USE_PROFILES: { html: true },
  FORBID_TAGS: ["style", "form", "button", "textarea", "select", "audio", "video", "source", "picture", "iframe"],
  FORBID_ATTR: ["style", "id", "class", "name", "srcset", "background", "autofocus", "tabindex", "aria-hidden"],
};

/** Replaces images by links to them, so that nothing is loaded from a third party. */
function replaceImages(place: DocumentFragment): void {
  for (const image of place.querySelectorAll("img")) {
    const link = document.createElement("a");
    link.textContent = `🖼 ${image.alt === "" ? "image" : image.alt}`;
    link.href = image.getAttribute("src") ?? "";
    if (image.closest("a") === null) image.replaceWith(link);
    else image.replaceWith(link.textContent);
  }
}

/** Makes links open in a new tab without referrer, and disables those that are not http, https or mailto. */
function guardLinks(place: DocumentFragment): void {
  for (const link of place.querySelectorAll("a")) {
    const isWeb = /^(?:https?:|mailto:)/i.test(link.getAttribute("href") ?? "");
    if (!isWeb) link.removeAttribute("href");
    link.target = "_blank";
    link.rel = "noopener noreferrer nofollow";
  }
}

function nameCheckboxes(place: DocumentFragment): void {
  for (const box of place.querySelectorAll("input")) {
    const mark = box.hasAttribute("checked") ? "☑ " : "☐ ";
    box.replaceWith(mark);
  }
}

/** Wraps tables in boxes that scroll, also with the keyboard. */
function frameTables(place: DocumentFragment): void {
  for (const table of place.querySelectorAll("table")) {
    const box = document.createElement("div");
    box.className = "table-box";
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", "Table");
    table.replaceWith(box);
    box.append(table);
  }
  for (const block of place.querySelectorAll("pre")) block.tabIndex = 0;
}

const BLOCKS = "p,h1,h2,h3,h4,h5,h6,dt,dd,th,td";
/** Blocks whose text is that of blocks inside: `auto` passes over those, as they have a direction themselves. */
const CONTAINERS = "ul,ol,li,dl,blockquote,table";
const MAX_TEXTS_READ = 20;
/** Scripts that are written from right to left. */
const RIGHT_TO_LEFT = /^[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Adlm}\p{sc=Mand}\p{sc=Samr}]/u;

/** Gives each block the direction of its text, which can be another one than that of the dashboard. */
function setDirections(place: DocumentFragment): void {
  for (const block of place.querySelectorAll(BLOCKS)) block.setAttribute("dir", "auto");
  for (const block of place.querySelectorAll(CONTAINERS)) block.setAttribute("dir", directionOf(block));
}

/** Returns the direction of the first letter (UAX #9 § 3.3.1, rule P2), as far as it is in the first texts. */
function directionOf(block: Element): "ltr" | "rtl" {
  const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
  for (let read = 0; read < MAX_TEXTS_READ && walker.nextNode() !== null; read++) {
    const letter = /\p{L}/u.exec((walker.currentNode as Text).data)?.[0];
    if (letter !== undefined) return RIGHT_TO_LEFT.test(letter) ? "rtl" : "ltr";
  }
  return "ltr";
}

/** Turns the private characters of marked passages into `mark` elements, also across other elements. */
function showMarks(place: DocumentFragment): void {
  let open: number | undefined;
  const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const text of texts) {
    const split = splitMarked(text.data, open);
    ({ open } = split);
    if (split.parts.every(({ id }) => id === undefined)) {
      text.data = split.parts.map((part) => part.text).join("");
      continue;
    }
    text.replaceWith(...split.parts.map(({ text: words, id }) => (id === undefined ? words : markOf(words, id))));
  }
}

function markOf(text: string, id: number): HTMLElement {
  const mark = document.createElement("mark");
  mark.dataset["mark"] = String(id);
  mark.textContent = text;
  return mark;
}

/**
 * Renders Markdown. @returns HTML that is safe to insert into the dashboard.
 * @param sources URLs that `[1]`, `[2]` … stand for.
 */
export function renderMarkdown(markdown: string, { sources = [] }: { sources?: readonly string[] } = {}): string {
  const text = sources.length === 0 ? markdown : linkSources(markdown, sources);
  const place = DOMPurify.sanitize(parseMarkdown(text), {
    ...CLEANING,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const step of [replaceImages, guardLinks, nameCheckboxes, frameTables, setDirections, showMarks]) step(place);
  const box = document.createElement("div");
  box.append(place);
  return box.innerHTML;
}
