import { largestCandidate, resolveUrl } from "./resolve-url.ts";
import type { ElementNode } from "./tree.ts";

const LAZY_ATTRIBUTES = ["data-src", "data-original", "data-lazy-src", "data-lazy", "data-hi-res-src", "data-image"];
/** What stands in `src` until a script puts the picture there. */
const PLACEHOLDER =
  /^data:image\/(?:gif|svg\+xml|png);|(?:placeholder|spacer|blank|transparent|pixel|1x1|loading)[^/]*\.(?:gif|png|svg|jpe?g|webp)(?:$|\?)/i;

/** Where the picture of an `<img>` is: srcset, lazy srcset, lazy address, src, or the sources of its `<picture>`. */
export function imageAddress(image: ElementNode, baseUrl: string): string | undefined {
  const { attributes } = image;
  const source = attributes["src"];
  const candidates = [
    largestCandidate(attributes["srcset"]),
    largestCandidate(attributes["data-srcset"]),
    ...LAZY_ATTRIBUTES.map((attribute) => attributes[attribute]),
    source !== undefined && PLACEHOLDER.test(source) ? undefined : source,
    fromPicture(image),
    source,
  ];
  for (const candidate of candidates) {
    const address = candidate !== undefined && !candidate.startsWith("{") ? resolveUrl(candidate, baseUrl) : undefined;
    if (address !== undefined) return address;
  }
  return undefined;
}

function fromPicture({ parent }: ElementNode): string | undefined {
  if (parent?.tag !== "picture") return undefined;
  for (const sibling of parent.children) {
    if (typeof sibling === "string" || sibling.tag !== "source") continue;
    const candidate = largestCandidate(sibling.attributes["srcset"] ?? sibling.attributes["data-srcset"]);
    if (candidate !== undefined) return candidate;
  }
  return undefined;
}
