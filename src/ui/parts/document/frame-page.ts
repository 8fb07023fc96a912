import DOMPurify from "dompurify";
import frameStyle from "../../styles/frame.css?url";

const CLEANING = {
  FORBID_TAGS: [
    "style",
    "link",
    "meta",
    "base",
    "iframe",
    "input",
    "object",
    "embed",
    "audio",
    "video",
    "source",
    "picture",
    "svg",
  ],
  FORBID_ATTR: ["style", "srcset", "background", "autofocus"],
};

/**
 * Returns a document for a sandboxed frame: sanitized HTML with a Content-Security-Policy in addition to the
 * dashboard's, so that a page can do harm only if sanitizer, policy and sandbox all fail.
 */
export function framePage(html: string): string {
  // The root element: hence the cast.
  const page = DOMPurify.sanitize(html, { ...CLEANING, WHOLE_DOCUMENT: true, RETURN_DOM: true }) as HTMLElement;
  const place = page.querySelector("body") ?? page;
  for (const image of place.querySelectorAll("img")) image.replaceWith(image.alt === "" ? "" : `[${image.alt}]`);
  for (const link of place.querySelectorAll("a")) link.removeAttribute("target");
  const style = new URL(frameStyle, location.href).href;
  const policy = `default-src 'none'; style-src ${location.origin}; base-uri 'none'; form-action 'none'`;
  return [
    `<!doctype html><html ${languageOf(page, place)}><head><meta charset="utf-8"><title dir="ltr">Page</title>`,
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    `<link rel="stylesheet" href="${style}"></head><body>${place.innerHTML}</body></html>`,
  ].join("");
}

/** Returns the language and the direction of a page as attributes. Without a direction, its text decides. */
function languageOf(...elements: readonly Element[]): string {
  const read = (name: "lang" | "dir", pattern: RegExp): string | undefined =>
    elements.map((element) => element.getAttribute(name)?.trim() ?? "").findLast((value) => pattern.test(value));
  const lang = read("lang", /^[a-z]{1,8}(?:-[a-z0-9]{1,8})*$/i) ?? "en";
  return `lang="${lang}" dir="${read("dir", /^(?:ltr|rtl|auto)$/i) ?? "auto"}"`;
}
