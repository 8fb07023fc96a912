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

/** Reads a list whose parts are chosen by `limit` and `offset`. A full part is followed by another request. */
export async function readOffsets<Item>(
  path: string,
  { count, limit }: { count: number; limit: number },
  read: (path: string) => Promise<readonly Item[]>,
): Promise<ListStart<Item>> {
  let offset = 0;
  const pathAt = (): string => `${path}?limit=${limit}&offset=${offset}`;
  return await readParts(pathAt(), count, async (part) => {
    const items = await read(part);
    offset += items.length;
    return { items, next: items.length < limit ? undefined : pathAt() };
  });
}

/** Returns path and query of a link in a response. Its origin may differ from the one that the browser uses. */
export function pathOfLink(link: string): string {
  const { pathname, search } = new URL(link, "http://localhost");
  return `${pathname}${search}`;
}
