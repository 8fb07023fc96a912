/** Expected new links of a page whose URL shape has not been visited. */
const UNSEEN_YIELD = 5;
/** New links per page below which no further page is requested. */
const MIN_YIELD = 0.2;

interface Shape {
  waiting: string[];
  next: number;
  visits: number;
  found: number;
}

/**
 * Order in which a site's pages are read for links. Pages with URLs of one shape are likely to be alike, so pages of
 * the most productive shape come first: lists and their further pages before the hundreds of pages that they list.
 */
export class VisitOrder {
  readonly #shapes = new Map<string, Shape>();
  readonly #known = new Set<string>();

  /** Adds a page; ignores repeats. */
  add(url: string): void {
    if (this.#known.has(url)) return;
    this.#known.add(url);
    this.#shapeOf(url).waiting.push(url);
  }

  /** Returns the most promising page; undefined when none is worth a request. */
  take(): string | undefined {
    let best: Shape | undefined;
    for (const shape of this.#shapes.values()) {
      if (shape.next < shape.waiting.length && (best === undefined || promise(shape) > promise(best))) best = shape;
    }
    if (best === undefined || promise(best) < MIN_YIELD) return undefined;
    best.visits++;
    return best.waiting[best.next++];
  }

  /** Records the number of new pages that a page has led to. */
  learn(url: string, found: number): void {
    this.#shapeOf(url).found += found;
  }

  #shapeOf(url: string): Shape {
    const name = urlShape(url);
    const shape = this.#shapes.get(name) ?? { waiting: [], next: 0, visits: 0, found: 0 };
    this.#shapes.set(name, shape);
    return shape;
  }
}

function promise({ visits, found }: Shape): number {
  return (UNSEEN_YIELD + found) / (visits + 1);
}

/** Returns a URL without its variable parts: numbers, the last path segment, values of its query. */
export function urlShape(url: string): string {
  const { host, pathname, searchParams } = new URL(url);
  const segments = pathname.split("/").filter((segment) => segment !== "");
  const folders = segments.slice(0, -1).map(withoutNumbers);
  const last = segments.at(-1) ?? "";
  // A single word at the root is a section, such as `/shop`; several joined by hyphens are one of many titles.
  const isPlace = folders.length === 0 && !last.includes("-");
  const name = isPlace || /^\W*\d+\W*$/.test(last) ? withoutNumbers(last) : "*";
  return `${host}/${[...folders, name].join("/")}?${[...new Set(searchParams.keys())].toSorted().join("&")}`;
}

function withoutNumbers(segment: string): string {
  return segment.replace(/\d+/g, "0");
}
