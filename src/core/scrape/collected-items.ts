/** An item of a list as a page shows it at one moment. */
interface Shown {
  html: string;
  /** Identity in the list; empty when only the content identifies the item. */
  key: string;
  /** Text and addresses. */
  content: string;
}

/** Characters of all items together. */
const MAX_CHARS = 20_000_000;
/** Bytes of all items together in JSON: they are sent to the page in one message, of at most 32 MiB. */
const MAX_BYTES = 32_000_000;
/** Share of known items in a part from which on the known ones are the same items. */
const KNOWN_SHARE = 0.3;

/**
 * The items of a list that is seen in parts, in order and once each. Items with a key are known by it. Parts of a list
 * without keys overlap: the longest end of what is known that begins the new part is not taken twice, so that items with
 * the same content remain as many as they are.
 */
export class CollectedItems {
  readonly html: string[] = [];
  /** True when items were left out because all together are too large. */
  isCut = false;
  readonly #maxItems: number;
  /** Content of each item by its key. */
  readonly #keys = new Map<string, string>();
  readonly #contents = new Set<string>();
  /** False once a part of the list has shown items without keys of their own. */
  #hasKeys = true;
  #last: readonly string[] = [];
  #chars = 0;
  #bytes = 0;

  constructor(maxItems: number) {
    this.#maxItems = maxItems;
  }

  get size(): number {
    return this.html.length;
  }

  get isFull(): boolean {
    return this.html.length >= this.#maxItems || this.isCut;
  }

  /** Adds the items that a page shows now. Returns true when there was a new one. */
  add(shown: readonly Shown[]): boolean {
    const before = this.html.length;
    // A key that two items share, such as the address of a cart, identifies neither.
    const keys = new Set(shown.map(({ key }) => key));
    this.#hasKeys &&= keys.size === shown.length && !keys.has("") && !this.#isRenumbered(shown);
    const isNew = this.#hasKeys ? this.#isNewByKey(shown) : this.#isNewByContent(shown);
    for (const [index, { html, key, content }] of shown.entries()) {
      if (isNew[index] !== true || this.isFull) continue;
      this.#keys.set(key, content);
      this.#contents.add(content);
      this.#push(html);
    }
    this.#last = shown.map(({ content }) => content);
    return this.html.length > before;
  }

  /** True when most keys that are known stand for other content now: the next page of the list counts from the start. */
  #isRenumbered(shown: readonly Shown[]): boolean {
    const known = shown.filter(({ key }) => this.#keys.has(key));
    const changed = known.filter(({ key, content }) => this.#keys.get(key) !== content).length;
    return known.length > 1 && changed > known.length / 2;
  }

  #isNewByKey(shown: readonly Shown[]): boolean[] {
    return shown.map(({ key }) => !this.#keys.has(key));
  }

  #isNewByContent(shown: readonly Shown[]): boolean[] {
    const overlap = overlapOf(
      this.#last,
      shown.map(({ content }) => content),
    );
    if (overlap > 0) return shown.map((_, index) => index >= overlap);
    // Some items show something else than before, such as their age, and the part continues nothing exactly.
    const known = shown.filter(({ content }) => this.#contents.has(content)).length;
    return shown.map(({ content }) => known < shown.length * KNOWN_SHARE || !this.#contents.has(content));
  }

  #push(html: string): void {
    if (this.isFull) return;
    this.#chars += html.length;
    if (this.#chars <= MAX_CHARS) this.#bytes += Buffer.byteLength(JSON.stringify(html)) + 1;
    if (this.#chars > MAX_CHARS || this.#bytes > MAX_BYTES) this.isCut = true;
    else this.html.push(html);
  }
}

/** Returns how many items at the start of `now` are the end of `before`: all of them when the page shows the same. */
function overlapOf(before: readonly string[], now: readonly string[]): number {
  // The failure function of Knuth, Morris and Pratt over `now`, run along `before`.
  const fallback = [0];
  for (let index = 1, length = 0; index < now.length; index++) {
    while (length > 0 && now[index] !== now[length]) length = fallback[length - 1] ?? 0;
    if (now[index] === now[length]) length++;
    fallback[index] = length;
  }
  let matched = 0;
  for (const html of before) {
    if (matched === now.length) matched = fallback[matched - 1] ?? 0;
    while (matched > 0 && html !== now[matched]) matched = fallback[matched - 1] ?? 0;
    if (html === now[matched]) matched++;
  }
  return matched;
}
