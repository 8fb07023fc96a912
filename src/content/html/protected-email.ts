import { decodeHTML } from "entities/decode";
import type { ElementNode } from "./tree/element-node.ts";

/**
 * Mail addresses as Cloudflare hides them from programs that run no scripts ("Email Address Obfuscation"): in hexadecimal,
 * each byte combined with the first by exclusive or; as the fragment of a link, and as an attribute of what stands in for
 * the text.
 */

const LINK = "/cdn-cgi/l/email-protection";
const CODED = /^(?:[\da-f]{2}){2,}$/i;

/** Gives a link that leads to the script its address back. Every element has attributes of its own. */
export function revealMailLink(attributes: Readonly<Record<string, string>>): void {
  const href = attributes["href"];
  if (href?.includes(LINK) !== true) return;
  const address =
    decodeEmail(href.slice(href.indexOf(LINK) + LINK.length + 1)) ?? decodeEmail(attributes["data-cfemail"]);
  if (address !== undefined) (attributes as Record<string, string>)["href"] = `mailto:${address}`;
}

/** Puts the address in place of the text that stands in for it. */
export function revealMailText(element: ElementNode): void {
  const address = decodeEmail(element.attributes["data-cfemail"]);
  if (address !== undefined && element.children.every((child) => typeof child === "string")) element.adopt([address]);
}

function decodeEmail(coded: string | undefined): string | undefined {
  if (coded === undefined || !CODED.test(coded)) return undefined;
  const [key = 0, ...bytes] = coded.match(/../g)?.map((byte) => Number.parseInt(byte, 16)) ?? [];
  // What is hidden is a piece of the source, with its entities.
  return decodeHTML(new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte ^ key)));
}
