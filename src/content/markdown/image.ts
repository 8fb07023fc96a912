import { imageAddress } from "../image-address.ts";
import type { ElementNode } from "../tree.ts";
import { escapeAddress, escapeDescription } from "./escape.ts";
import type { MarkdownPage } from "./page.ts";

/** Data this short is a placeholder, a dot or a bar, and no picture. */
const MAX_PLACEHOLDER_CHARS = 400;

/** An image with its description; empty for pixels that count visitors and for images without an address. */
export function imageMarkdown(image: ElementNode, page: MarkdownPage): string {
  if (isPixel(image)) return "";
  const address = imageAddress(image, page.baseUrl);
  if (address === undefined) return "";
  const description = escapeDescription(image.attributes["alt"] ?? "");
  if (!address.startsWith("data:")) return `![${description}](${escapeAddress(address)})`;
  if (description === "" && address.length < MAX_PLACEHOLDER_CHARS) return "";
  return page.removeBase64Images
    ? `![${description}](<Base64-Image-Removed>)`
    : `![${description}](${escapeAddress(address)})`;
}

function isPixel({ attributes: { width, height } }: ElementNode): boolean {
  return isTiny(width) && isTiny(height);
}

function isTiny(size: string | undefined): boolean {
  return size !== undefined && /^\s*[01](?:px)?\s*$/.test(size);
}
