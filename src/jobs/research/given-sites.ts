import { absoluteAddress } from "./known-addresses.ts";

/** The given URLs that end with `/*`: each stands for the site below it. */
export class GivenSites {
  /** Addresses of sites, each of which ends with `/`. */
  readonly #sites: string[];

  constructor(urls: readonly string[]) {
    this.#sites = urls.filter((url) => url.endsWith("/*")).flatMap((url) => absoluteAddress(url.slice(0, -1)) ?? []);
  }

  /** Reports whether a URL is the address of a given site, or below it. */
  include(url: string): boolean {
    const address = absoluteAddress(url);
    if (address === undefined) return false;
    const addresses = [address, `${address}/`].map(withoutScheme);
    return this.#sites.some((site) => addresses.some((each) => each.startsWith(withoutScheme(site))));
  }
}

/** A site's pages may link to each other by http or https. */
function withoutScheme(url: string): string {
  return url.replace(/^https?:/, "");
}
