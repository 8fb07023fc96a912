import { decodeHTML } from "entities/decode";
import type { ElementNode } from "./tree/element-node.ts";

/**
 * Decodes mail addresses that Cloudflare hides from programs without scripts ("Email Address Obfuscation"): in
 * hexadecimal, each byte combined with the first by exclusive or, in the fragment of a link or in an attribute of the
 * element that replaces the text.
 */

const LINK = "/cdn-cgi/l/email-protection";
const CODED = /^(?:[\da-f]{2}){2,}$/i;

/** Restores the address of a link that points to the script. Each element has a separate attributes object. */
export function revealMailLink(attributes: Readonly<Record<string, string>>): void {
  const href = attributes["href"];
  if (href?.includes(LINK) !== true) return;
  const address =
    decodeEmail(href.slice(href.indexOf(LINK) + LINK.length + 1)) ?? decodeEmail(attributes["data-cfemail"]);
  if (address !== undefined) (attributes as Record<string, string>)["href"] = `mailto:${address}`;
}

/** Replaces an element's placeholder text with the decoded address. */
export function revealMailText(element: ElementNode): void {
  const address = decodeEmail(element.attributes["data-cfemail"]);
  if (address !== undefined && element.children.every((child) => typeof child === "string")) element.adopt([address]);
}

function decodeEmail(coded: string | undefined): string | undefined {
  if (coded === undefined || !CODED.test(coded)) return undefined;
  const [key = 0, ...bytes] = coded.match(/../g)?.map((byte) => Number.parseInt(byte, 16)) ?? [];
  // The decoded bytes are a piece of the source, with its entities.
  return decodeHTML(new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte ^ key)));
}
