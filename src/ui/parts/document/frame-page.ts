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
  const place = DOMPurify.sanitize(html, { ...CLEANING, RETURN_DOM_FRAGMENT: true });
  for (const image of place.querySelectorAll("img")) image.replaceWith(image.alt === "" ? "" : `[${image.alt}]`);
  for (const link of place.querySelectorAll("a")) link.removeAttribute("target");
  const box = document.createElement("div");
  box.append(place);
  const style = new URL(frameStyle, location.href).href;
  const policy = `default-src 'none'; style-src ${location.origin}; base-uri 'none'; form-action 'none'`;
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Page</title>',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    `<link rel="stylesheet" href="${style}"></head><body>${box.innerHTML}</body></html>`,
  ].join("");
}
