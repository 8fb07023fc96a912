import type { EarlierPage, LinksPlace } from "../../core/crawl/page-version.ts";
import type { Blobs } from "../../ports/storage/blobs.ts";
import type { Frontiers } from "../../ports/crawl/frontier.ts";
import { unpackLinks, type PageLinks } from "./stored-links.ts";

/** Objects whose links are remembered: pages that were scraped together are found together. */
const MAX_OBJECTS = 30;
/** Characters of the links of these objects, beyond those of the newest one. */
const MAX_CHARS = 16_000_000;
const MAX_WAITING = 1_000;

/** A page of the earlier job, with access to what is stored of it. */
export interface EarlierItem {
  page: EarlierPage;
  /** Returns the links of the page; undefined when they are no longer stored. */
  links(): Promise<PageLinks | undefined>;
  /** Returns the stored document; undefined when it is no longer stored. */
  document(): Promise<Uint8Array | undefined>;
}

interface Sources {
  frontiers: Pick<Frontiers, "versions">;
  blobs: Pick<Blobs, "get">;
}

/** The pages of the job that an incremental crawl continues, for one worker run. */
export class EarlierPages {
  readonly #sources: Sources;
  readonly #jobId: string;
  readonly #asked = new Map<string, Promise<ReadonlyMap<string, EarlierPage>>>();
  readonly #objects = new Map<string, Promise<PageLinks[] | undefined>>();
  /** Characters of the links of each of them, once they are read. */
  readonly #chars = new Map<string, number>();

  constructor(sources: Sources, jobId: string) {
    this.#sources = sources;
    this.#jobId = jobId;
  }

  /** Looks up pages together, before `find` returns them one by one. */
  expect(keys: readonly string[]): void {
    if (keys.length === 0) return;
    if (this.#asked.size > MAX_WAITING) this.#asked.clear();
    const found = this.#lookUp(keys);
    // `find` reports the failure.
    found.catch(() => undefined);
    for (const key of keys) this.#asked.set(key, found);
  }

  async find(key: string): Promise<EarlierItem | undefined> {
    const found = await (this.#asked.get(key) ?? this.#lookUp([key]));
    this.#asked.delete(key);
    const page = found.get(key);
    return page === undefined ? undefined : this.open(page);
  }

  open(page: EarlierPage): EarlierItem {
    return {
      page,
      links: async () => (page.links === undefined ? undefined : (await this.#linksIn(page.links))?.[page.links.index]),
      document: async () => (await this.#sources.blobs.get(page.document.object, page.document))?.bytes,
    };
  }

  async #lookUp(keys: readonly string[]): Promise<ReadonlyMap<string, EarlierPage>> {
    const pages = await this.#sources.frontiers.versions(this.#jobId, { keys });
    return new Map(pages.map((page) => [page.key, page]));
  }

  #linksIn({ object, offset, length }: LinksPlace): Promise<PageLinks[] | undefined> {
    const name = `${object} ${offset}`;
    const known = this.#objects.get(name);
    if (known !== undefined) return known;
    const read = this.#sources.blobs.get(object, { offset, length }).then((blob) => {
      if (blob === undefined) return undefined;
      const pages = unpackLinks(blob.bytes);
      if (this.#objects.has(name)) this.#chars.set(name, charsOf(pages));
      this.#forgetOldest();
      return pages;
    });
    this.#objects.set(name, read);
    this.#forgetOldest();
    read.catch(() => this.#objects.delete(name));
    return read;
  }

  #forgetOldest(): void {
    let chars = [...this.#chars.values()].reduce((sum, each) => sum + each, 0);
    for (const name of this.#objects.keys()) {
      const isOver = this.#objects.size > MAX_OBJECTS || chars > MAX_CHARS;
      if (!isOver || this.#objects.size === 1) return;
      chars -= this.#chars.get(name) ?? 0;
      this.#objects.delete(name);
      this.#chars.delete(name);
    }
  }
}

function charsOf(pages: readonly PageLinks[]): number {
  return pages.flatMap(({ links }) => links).reduce((sum, link) => sum + link.length, 0);
}

/** Looks up an item in the earlier job. A page that cannot be looked up is not read: it would count as new. */
export async function findEarlier(
  earlier: EarlierPages | undefined,
  key: string,
  failed: (error: unknown) => void,
): Promise<EarlierItem | "unknown" | undefined> {
  try {
    return await earlier?.find(key);
  } catch (error) {
    failed(error);
    return "unknown";
  }
}
