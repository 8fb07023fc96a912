import { largestCandidate, resolveUrl } from "./resolve-url.ts";
import { ofChildren } from "./tree/of-children.ts";
import type { ElementNode } from "./tree/tree.ts";

const LAZY_ATTRIBUTES = ["data-src", "data-original", "data-lazy-src", "data-lazy", "data-hi-res-src", "data-image"];
/** Other values of these attributes are switches and numbers. */
const LAZY_ADDRESS = /[/.]/;
const LAZY_NAME = /[-_]src(?:set)?$/;
const ADDRESS = /^(?:https?:\/\/|\/)\S+$/;
/** File names of placeholders that a script later replaces with the picture. */
const PLACEHOLDER =
  /(?:placeholder|spacer|blank|transparent|pixel|1x1|loading)[^/]*\.(?:gif|png|svg|jpe?g|webp)(?:$|\?)/i;
/** A part of an address that a script of the page fills in, such as a width. */
const TEMPLATE = /(?:\{|%7b)\s*[a-z_][\w.]*\s*(?:\}|%7d)/i;
const MAX_SOURCES = 50;
/** Enough for any file name. */
const NAME_CHARS = 200;

/**
 * Returns the address of the picture of an `<img>`: srcset, lazy srcset, lazy address, src, the sources of its
 * `<picture>`, any other lazy address, or the image in a `<noscript>` beside it. Data URLs, placeholders and addresses
 * that a script completes are used only where there is nothing else.
 */
export function imageAddress(image: ElementNode, baseUrl: string): string | undefined {
  let placeholder: string | undefined;
  let template: string | undefined;
  for (const candidate of candidatesOf(image)) {
    if (candidate === undefined || candidate.startsWith("{")) continue;
    const address = resolveUrl(candidate, baseUrl);
    if (address === undefined) continue;
    if (isTemplate(candidate)) template ??= address;
    else if (!address.startsWith("data:") && !PLACEHOLDER.test(address.slice(-NAME_CHARS))) return address;
    else placeholder ??= address;
  }
  const lazy = resolveUrl(lazySource(image), baseUrl);
  if (lazy !== undefined) return lazy;
  const fallback = noscriptImageOf(image);
  return (fallback === undefined ? undefined : imageAddress(fallback, baseUrl)) ?? placeholder ?? template;
}

/** True for an address that no one can load before a script has completed it. */
export function isTemplate(address: string): boolean {
  return TEMPLATE.test(address);
}

/** Returns the address in a lazy-loading attribute: each library has its own attribute name, and most end alike. */
export function lazySource({ attributes }: ElementNode): string | undefined {
  for (const name in attributes) {
    // Cheaper than the pattern, and true of few attributes.
    if (!name.endsWith("src") && !name.endsWith("srcset")) continue;
    if (!LAZY_NAME.test(name)) continue;
    const value = attributes[name];
    const source = name.endsWith("set") ? largestCandidate(value) : value?.trim();
    if (source === undefined || !ADDRESS.test(source) || isTemplate(source)) continue;
    if (!PLACEHOLDER.test(source.slice(-NAME_CHARS))) return source;
  }
  return undefined;
}

/** Most images have a `src` and nothing else. */
function candidatesOf(image: ElementNode): (string | undefined)[] {
  const { attributes, parent } = image;
  const candidates = [largestCandidate(attributes["srcset"]), largestCandidate(attributes["data-srcset"])];
  for (const name of LAZY_ATTRIBUTES) {
    const value = attributes[name];
    if (value !== undefined && LAZY_ADDRESS.test(value)) candidates.push(value);
  }
  candidates.push(attributes["src"]);
  if (parent?.tag === "picture") candidates.push(...sourcesOf(parent));
  return candidates;
}

/** Addresses of the first sources of a `<picture>`, each of whose images may come to all of them. */
const sourcesOf = ofChildren((children) =>
  elementsOf(children, "source")
    .slice(0, MAX_SOURCES)
    .map(({ attributes }) => largestCandidate(attributes["srcset"] ?? attributes["data-srcset"])),
);

function elementsOf(children: ElementNode["children"], tag: string): ElementNode[] {
  return children.filter((child): child is ElementNode => typeof child !== "string" && child.tag === tag);
}

/** Returns the same image as given to browsers without scripts. */
function noscriptImageOf({ parent, attributes }: ElementNode): ElementNode | undefined {
  if (parent === undefined || parent.tag === "noscript") return undefined;
  const image = onlyNoscriptImage(parent);
  return (attributes["alt"] ?? "") === (image?.attributes["alt"] ?? "") ? image : undefined;
}

/** The image in the first `<noscript>`, where both that and its parent have one image. */
const onlyNoscriptImage = ofChildren((children) => {
  const noscript = children.find(
    (child): child is ElementNode => typeof child !== "string" && child.tag === "noscript",
  );
  const images = elementsOf(noscript?.children ?? [], "img");
  return images.length === 1 && elementsOf(children, "img").length === 1 ? images[0] : undefined;
});
