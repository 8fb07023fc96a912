import { isSameHost } from "../../core/url/registrable-domain.ts";

const NAMED_HOST = /(?<![@\w./-])(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}(?::\d+)?(?![\w@])/gi;
const NAMED_ADDRESS = /https?:\/\/[^\s<>"')\]]+/gi;

/**
 * The addresses that a language model may have asked: those that somebody other than itself has named. A model that obeys
 * a hostile page would otherwise carry data out in a path, a query, or the label of a subdomain.
 */
export class KnownAddresses {
  readonly #addresses = new Set<string>();

  add(url: string): void {
    const address = absoluteAddress(url);
    if (address !== undefined) this.#addresses.add(address);
  }

  /**
   * Adds the addresses that stand in a text.
   * @param but text of the model's own: addresses in it are not added.
   */
  addAllIn(text: string, but = ""): void {
    for (const [found] of text.matchAll(NAMED_ADDRESS)) {
      const url = found.replace(/[.,;:!?]+$/, "");
      if (!but.includes(url)) this.add(url);
    }
  }

  /** Adds the front pages of the host names that stand in a text, such as `example.com`. */
  addHostsIn(text: string): void {
    for (const [host] of text.matchAll(NAMED_HOST)) this.add(host);
  }

  /** The address itself, if it is known exactly; a fragment makes no difference, and is not kept. */
  exactly(url: string): string | undefined {
    const address = absoluteAddress(url);
    return address !== undefined && this.#addresses.has(address) ? address : undefined;
  }

  /**
   * What may be asked of a site: the address, if it is known exactly, or the front page of its host, if that is one of a
   * known address. Nothing of a path or a query that is not known gets out, and no subdomain that is not.
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

/** An absolute web address without its fragment and without credentials; undefined for what is none. */
export function absoluteAddress(url: string): string | undefined {
  const address = /^https?:\/\//i.test(url) ? url : `http://${url}`;
  if (url === "" || !URL.canParse(address)) return undefined;
  const parsed = new URL(address);
  parsed.hash = "";
  parsed.username = "";
  parsed.password = "";
  return parsed.href;
}
