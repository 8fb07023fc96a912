import type { HtmlView } from "./html-view.ts";
import { WorkBudget } from "../../core/work-budget.ts";
import { isTemplate, lazySource } from "./image-address.ts";
import { parseSrcset, resolveUrl, stepsToResolve } from "./resolve-url.ts";
import { NO_ATTRIBUTES, type ElementNode } from "./tree/tree.ts";

const META_IMAGES = new Set(["og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src"]);
const LINK_IMAGES = /\b(?:icon|apple-touch-icon|image_src)\b/i;
const BACKGROUND = /^\s*(?:\/\*[^*]*\*\/\s*)?[\w-]*background(?:-image)?\s*:/i;
const URL_FUNCTION = /url\(\s*/gi;

/**
 * Returns the addresses of all pictures of the page, absolute, in document order, each once. Those beyond the budget are
 * left out.
 */
export function readImages({ tree, baseUrl }: HtmlView, budget = new WorkBudget()): string[] {
  const images = new Set<string>();
  const steps = stepsToResolve(baseUrl);
  const add = (address: string | undefined): void => {
    const image = resolveUrl(address, baseUrl);
    if (image !== undefined)
      images.add(image.startsWith("http:") && address?.startsWith("//") ? `https:${address}` : image);
  };
  for (let element: ElementNode | undefined = tree.root; element !== undefined; element = element.next) {
    const addresses = addressesOf(element);
    // One attribute may have thousands of addresses.
    for (const address of addresses) {
      if (address !== undefined && !budget.take(steps)) {
        budget.cut("images");
        return [...images];
      }
      add(address);
    }
  }
  return [...images];
}

const NONE: readonly undefined[] = [];

function addressesOf(element: ElementNode): readonly (string | undefined)[] {
  const { tag, attributes, parent } = element;
  if (attributes === NO_ATTRIBUTES) return NONE;
  const { style } = attributes;
  const background = style?.includes("url(") === true ? backgroundsOf(style) : NONE;
  switch (tag) {
    case "img":
      return [
        attributes["src"],
        completeAddress(attributes["data-src"]),
        ...candidatesOf(attributes["srcset"]),
        ...candidatesOf(attributes["data-srcset"]),
        lazySource(element),
        ...background,
      ];
    case "source":
      return parent?.tag === "picture" ? [attributes["src"], ...candidatesOf(attributes["srcset"])] : background;
    case "video":
      return [attributes["poster"], ...background];
    case "meta":
      return isImageMeta(attributes) ? [attributes["content"]] : [];
    case "link":
      return LINK_IMAGES.test(attributes["rel"] ?? "") ? [attributes["href"]] : [];
    default:
      return background;
  }
}

function completeAddress(address: string | undefined): string | undefined {
  return address === undefined || isTemplate(address) ? undefined : address;
}

function candidatesOf(srcset: string | undefined): string[] {
  return srcset === undefined ? [] : parseSrcset(srcset).map(({ url }) => url);
}

/** Returns the addresses in `background` and `background-image` of an inline style. Reads each character a bounded number of times. */
function backgroundsOf(style: string): string[] {
  const addresses: string[] = [];
  let readTo = 0;
  let isBackground: boolean | undefined;
  const urlFunction = new RegExp(URL_FUNCTION);
  for (let start = urlFunction.exec(style); start !== null; start = urlFunction.exec(style)) {
    const before = style.slice(readTo, start.index);
    const semicolon = before.lastIndexOf(";");
    if (semicolon >= 0 || isBackground === undefined) isBackground = BACKGROUND.test(before.slice(semicolon + 1));
    const from = urlFunction.lastIndex;
    const quote = style.charAt(from);
    const isQuoted = quote === '"' || quote === "'";
    const end = style.indexOf(isQuoted ? quote : ")", isQuoted ? from + 1 : from);
    if (end < 0) break;
    if (isBackground) addresses.push(style.slice(isQuoted ? from + 1 : from, end).trim());
    readTo = urlFunction.lastIndex = end + 1;
  }
  return addresses;
}

function isImageMeta(attributes: Readonly<Record<string, string>>): boolean {
  const label = attributes["property"] ?? attributes["name"] ?? "";
  return META_IMAGES.has(label.toLowerCase()) || attributes["itemprop"] === "image";
}
