import { imageAddress } from "../image-address.ts";
import type { ElementNode } from "../tree.ts";
import type { Emitter } from "./emitter.ts";
import { collapse, escapeAddress } from "./escape.ts";

const REMOVED = "<Base64-Image-Removed>";
const TRACKING_SIZE = /^[01](?:px)?$/;

/** `![alt](address)`; nothing for tracking pixels and for pictures whose address leads nowhere. */
export function imageMarkdown(emitter: Emitter, image: ElementNode): string {
  const { attributes } = image;
  if (TRACKING_SIZE.test(attributes["width"] ?? "") || TRACKING_SIZE.test(attributes["height"] ?? "")) return "";
  const alt = collapse(attributes["alt"] ?? "")
    .trim()
    .replace(/[[\]\\*_`<]/g, "\\$&");
  const address = imageAddress(image, emitter.baseUrl) ?? "";
  if (!address.startsWith("data:")) return address === "" ? "" : `![${alt}](${escapeAddress(address)})`;
  const fromTwin = noscriptTwin(emitter, image);
  if (fromTwin !== undefined) return `![${alt}](${escapeAddress(fromTwin)})`;
  if (!emitter.removeBase64Images) return `![${alt}](${escapeAddress(address)})`;
  return alt === "" ? "" : `![${alt}](${REMOVED})`;
}

/** The picture that a page shows where no script puts it in place: `<img src=placeholder><noscript><img></noscript>`. */
function noscriptTwin(emitter: Emitter, image: ElementNode): string | undefined {
  const siblings = image.parent?.children ?? [];
  const next = siblings.slice(siblings.indexOf(image) + 1).find((sibling) => typeof sibling !== "string");
  if (next === undefined || typeof next === "string" || next.tag !== "noscript") return undefined;
  const twin = next.children.find((child) => typeof child !== "string" && child.tag === "img");
  return twin === undefined || typeof twin === "string" ? undefined : imageAddress(twin, emitter.baseUrl);
}
