import { imageAddress } from "../../html/image-address.ts";
import type { ElementNode } from "../../html/tree/tree.ts";
import { escapeAddress, escapeDescription } from "./escape.ts";
import type { MarkdownPage } from "../page.ts";

/** Data this short is a placeholder, a dot or a bar, and no picture. */
const MAX_PLACEHOLDER_CHARS = 400;
/** Files that show a spinner, or nothing, until a script replaces them with a picture. */
const STAND_IN = /\/(?:loading|spacer|blank|transparent|pixel|1x1)(?:[-_][a-z]+)?\.gif(?:\?[^/]*)?$/i;
const MAX_ICON_PIXELS = 48;
/** A width in a style that is a share of the page, or at least ten of a unit. */
const WIDTH_IN_STYLE = /(?:^|;)\s*width\s*:\s*(?:auto|[1-9]\d|[1-9]%)/i;

/**
 * Returns an image with its description; empty for pixels, spacers and icons, for images without an address, and for
 * those without a description that the page has shown before.
 * @param isSign true in cells and links, where the image alone has a meaning, such as a tick
 */
export function imageMarkdown(image: ElementNode, page: MarkdownPage, isSign: boolean): string {
  if (isSpacer(image)) return "";
  const address = imageAddress(image, page.baseUrl);
  if (address === undefined) return "";
  const description = escapeDescription(image.attributes["alt"] ?? "");
  if (description === "" && STAND_IN.test(address)) return "";
  if (isShownBefore(image, address, page) && description === "" && !isSign) return "";
  if (!address.startsWith("data:")) return `![${description}](${escapeAddress(address)})`;
  if (description === "" && address.length < MAX_PLACEHOLDER_CHARS) return "";
  return page.removeBase64Images
    ? `![${description}](<Base64-Image-Removed>)`
    : `![${description}](${escapeAddress(address)})`;
}

/** Reports whether the page has shown the image before; one element may be written more than once. */
function isShownBefore(image: ElementNode, address: string, { pictures }: MarkdownPage): boolean {
  const first = pictures.get(address);
  if (first === undefined) pictures.set(address, image);
  return first !== undefined && first !== image;
}

/** Reports whether an image is a tracking pixel, a line or a spacer, or an icon or portrait without a description. */
function isSpacer({ attributes: { width, height, sizes, style = "", alt = "" } }: ElementNode): boolean {
  const wide = pixels(width);
  const high = pixels(height);
  // The size of such a picture is not in its attributes.
  if (wide === 0 && high === 0 && (sizes !== undefined || WIDTH_IN_STYLE.test(style))) return false;
  return Math.min(wide, high) <= 1 || (Math.max(wide, high) <= MAX_ICON_PIXELS && alt.trim() === "");
}

function pixels(size: string | undefined): number {
  const match = size === undefined ? null : /^\s*(\d+)(?:px)?\s*$/.exec(size);
  return match === null ? Infinity : Number(match[1]);
}
