/** A part of a list. `next` is the path of the following one; undefined at the end. */
export interface ListPart<Item> {
  items: readonly Item[];
  next: string | undefined;
}

/** The beginning of a list, and whether it goes on. */
export interface ListStart<Item> {
  items: Item[];
  hasMore: boolean;
}

/** Reads a list part by part, until it ends or has at least `count` items. */
export async function readParts<Item>(
  path: string,
  count: number,
  read: (path: string) => Promise<ListPart<Item>>,
): Promise<ListStart<Item>> {
  const items: Item[] = [];
  let next: string | undefined = path;
  while (next !== undefined && items.length < count) {
    const part: ListPart<Item> = await read(next);
    items.push(...part.items);
    next = part.items.length === 0 ? undefined : part.next;
  }
  return { items, hasMore: next !== undefined };
}

/** Reads a list whose responses link to the following one by `next`. A response may have fewer items than were asked for. */
export async function readLinked<Item>(
  path: string,
  count: number,
  read: (path: string) => Promise<{ data: readonly Item[]; next?: string }>,
): Promise<ListStart<Item>> {
  return await readParts(path, count, async (part) => {
    const { data, next } = await read(part);
    return { items: data, next: next === undefined ? undefined : pathOfLink(next) };
  });
}

/**
 * A list with offsets, newest first, that is read again and again. Items that can no longer change are remembered: where the
 * first part, or further ones, reach a remembered item, those behind it are not read again.
 */
export class NewestFirst<Item extends { id: string }> {
  readonly #limit: number;
  readonly #isFinal: (item: Item) => boolean;
  #path: string | undefined;
  #known: Item[] = [];
  #hasMore = true;

  /** @param options.limit number of items of a part. */
  constructor({ limit, isFinal }: { limit: number; isFinal: (item: Item) => boolean }) {
    this.#limit = limit;
    this.#isFinal = isFinal;
  }

  /** Reads the list until it ends or has at least `count` items, each once. */
  async read(path: string, count: number, read: (path: string) => Promise<readonly Item[]>): Promise<ListStart<Item>> {
    const [known, knewMore] = path === this.#path ? [this.#known, this.#hasMore] : [[], true];
    const items = new Map<string, Item>();
    let hasMore = true;
    let offset = 0;
    while (hasMore && items.size < count) {
      const part = await read(`${path}?limit=${this.#limit}&offset=${offset}`);
      offset += part.length;
      hasMore = part.length === this.#limit;
      for (const item of part) items.set(item.id, item);
      const at = known.findIndex(({ id }) => id === part.at(-1)?.id);
      const behind = at < 0 || !hasMore ? [] : known.slice(at + 1);
      if (behind.length === 0 || !behind.every(this.#isFinal)) continue;
      for (const item of behind) items.set(item.id, item);
      offset += behind.length;
      hasMore = knewMore;
    }
    this.#path = path;
    this.#known = [...items.values()];
    this.#hasMore = hasMore;
    return { items: [...this.#known], hasMore };
  }
}

/** Returns path and query of a link in a response. Its origin may differ from the one that the browser uses. */
export function pathOfLink(link: string): string {
  const { pathname, search } = new URL(link, "http://localhost");
  return `${pathname}${search}`;
}
