import { isSameHost } from "../../core/url/registrable-domain.ts";
import { absoluteAddress } from "./known-addresses.ts";

/** The given URLs that end with `/*`: each stands for the site below it. */
export class GivenSites {
  /** Addresses of sites, each of which ends with `/`. */
  readonly #sites: URL[];

  constructor(urls: readonly string[]) {
    this.#sites = urls
      .filter((url) => url.endsWith("/*"))
      .flatMap((url) => absoluteAddress(url.slice(0, -1)) ?? [])
      .map((address) => new URL(address));
  }

  /** Reports whether a URL is the address of a given site, or below it. Hosts with and without `www.` are the same. */
  include(url: string): boolean {
    return this.siteOf(url) !== undefined;
  }

  /** Returns the address of the given site that a URL is, or is below. */
  siteOf(url: string): string | undefined {
    const address = absoluteAddress(url);
    if (address === undefined) return undefined;
    const { host, pathname } = new URL(address);
    return this.#sites.find((site) => isSameHost(host, site.host) && `${pathname}/`.startsWith(site.pathname))?.href;
  }
}
