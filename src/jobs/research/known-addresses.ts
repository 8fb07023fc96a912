import { isSameHost } from "../../core/url/registrable-domain.ts";

const NAMED_HOST = /(?<![@\w./-])(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}(?::\d+)?(?![\w@])/gi;
const NAMED_ADDRESS = /https?:\/\/[^\s<>"')\]]+/gi;

/**
 * URLs that a language model may request: those that the user, a search or a page has named. A model that obeys a
 * hostile page could otherwise send data out in a path, a query, or the label of a subdomain.
 */
export class KnownAddresses {
  readonly #addresses = new Set<string>();

  add(url: string): void {
    const address = absoluteAddress(url);
    if (address !== undefined) this.#addresses.add(address);
  }

  /**
   * Adds the URLs that a text contains.
   * @param but text written by the model: URLs in it are not added.
   */
  addAllIn(text: string, but = ""): void {
    for (const [found] of text.matchAll(NAMED_ADDRESS)) {
      const url = found.replace(/(?<![.,;:!?])[.,;:!?]+$/, "");
      if (!but.includes(url)) this.add(url);
    }
  }

  /** Adds the front pages of the host names that a text contains, such as `example.com`. */
  addHostsIn(text: string): void {
    for (const [host] of text.matchAll(NAMED_HOST)) this.add(host);
  }

  /** Returns the URL without its fragment, if exactly this URL is known. */
  exactly(url: string): string | undefined {
    const address = absoluteAddress(url);
    return address !== undefined && this.#addresses.has(address) ? address : undefined;
  }

  /**
   * Returns the URL that may be requested of a site: the URL itself if it is known, or the front page of its host if a
   * known URL has that host. An unknown path, query or subdomain is never sent.
   */
  site(url: string): string | undefined {
    const known = this.exactly(url);
    const address = absoluteAddress(url);
    if (known !== undefined || address === undefined) return known;
    const { host } = new URL(address);
    const same = [...this.#addresses].map((each) => new URL(each)).find((each) => isSameHost(each.host, host));
    return same === undefined ? undefined : `${same.origin}/`;
  }
}

/** Returns an absolute URL without fragment and credentials; undefined for text that is no URL. */
export function absoluteAddress(url: string): string | undefined {
  const address = /^https?:\/\//i.test(url) ? url : `http://${url}`;
  if (url === "" || !URL.canParse(address)) return undefined;
  const parsed = new URL(address);
  parsed.hash = "";
  parsed.username = "";
  parsed.password = "";
  return parsed.href;
}
