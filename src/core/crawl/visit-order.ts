/** What a page of a shape that nobody has looked at is worth: links that may be new. */
const UNSEEN_YIELD = 5;
/** Below this many new links a page, looking further is not worth a request. */
const MIN_YIELD = 0.2;

interface Shape {
  waiting: string[];
  next: number;
  visits: number;
  found: number;
}

/**
 * The order in which a site's pages are looked at for links. Pages whose URLs are shaped alike are likely to be alike,
 * so those come first whose kind has brought most: lists and their further pages before the hundreds that they list.
 */
export class VisitOrder {
  readonly #shapes = new Map<string, Shape>();
  readonly #known = new Set<string>();

  /** Takes note of a page once. */
  add(url: string): void {
    if (this.#known.has(url)) return;
    this.#known.add(url);
    this.#shapeOf(url).waiting.push(url);
  }

  /** The most promising page; undefined when none promises enough. */
  take(): string | undefined {
    let best: Shape | undefined;
    for (const shape of this.#shapes.values()) {
      if (shape.next < shape.waiting.length && (best === undefined || promise(shape) > promise(best))) best = shape;
    }
    if (best === undefined || promise(best) < MIN_YIELD) return undefined;
    best.visits++;
    return best.waiting[best.next++];
  }

  /** Tells how many new pages a page has led to. */
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

/** A URL with what varies left out: numbers, the last word of its path, values of its query. */
export function urlShape(url: string): string {
  const { host, pathname, searchParams } = new URL(url);
  const segments = pathname.split("/").filter((segment) => segment !== "");
  const folders = segments.slice(0, -1).map(withoutNumbers);
  const last = segments.at(-1) ?? "";
  // A single word at the root is a place of its own, such as `/shop`; several joined are one of many titles.
  const isPlace = folders.length === 0 && !last.includes("-");
  const name = isPlace || /^\W*\d+\W*$/.test(last) ? withoutNumbers(last) : "*";
  return `${host}/${[...folders, name].join("/")}?${[...new Set(searchParams.keys())].toSorted().join("&")}`;
}

function withoutNumbers(segment: string): string {
  return segment.replace(/\d+/g, "0");
}
