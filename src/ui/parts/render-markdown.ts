import DOMPurify from "dompurify";
import { marked } from "marked";

/** What foreign text may be made of: no script, style, form, frame, or anything that loads by itself. */
const CLEANING = {
  USE_PROFILES: { html: true },
  FORBID_TAGS: ["style", "form", "button", "textarea", "select", "audio", "video", "source", "picture", "iframe"],
  FORBID_ATTR: ["style", "id", "class", "name", "srcset", "background", "autofocus", "tabindex", "aria-hidden"],
};

/** Without pictures of other places: nothing is loaded from a third party, so a picture is a link to itself. */
function replaceImages(place: DocumentFragment): void {
  for (const image of place.querySelectorAll("img")) {
    const link = document.createElement("a");
    link.textContent = `🖼 ${image.alt === "" ? "picture" : image.alt}`;
    link.href = image.getAttribute("src") ?? "";
    if (image.closest("a") === null) image.replaceWith(link);
    else image.replaceWith(link.textContent);
  }
}

/** Links of the page open elsewhere and learn nothing of where they were found. */
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

/** Wide tables scroll by themselves, also with the keyboard. */
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

/** @returns HTML that is safe to show in the dashboard itself. */
export function renderMarkdown(markdown: string): string {
  const place = DOMPurify.sanitize(marked.parse(markdown, { async: false, gfm: true }), {
    ...CLEANING,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const step of [replaceImages, guardLinks, nameCheckboxes, frameTables]) step(place);
  const box = document.createElement("div");
  box.append(place);
  return box.innerHTML;
}
