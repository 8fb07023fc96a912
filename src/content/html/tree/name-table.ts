const SLOTS = 4096;
const MAX_NAMES = SLOTS / 2;
/** Longer names are rare, and mostly not valid names. */
const MAX_LENGTH = 32;
/** Slots that are compared for one name: a page may choose names that fall on the same slot. */
const MAX_PROBES = 8;

/**
 * Interns the names of tags and attributes in lower case. A name is looked up by its characters in the source, so that
 * none of the thousands of names in a page allocates a string.
 */
export class NameTable {
  readonly #slots: (string | undefined)[] = Array.from({ length: SLOTS }, () => undefined);
  #size = 0;

  /** Returns `source.slice(start, end).toLowerCase()`. */
  lowerCase(source: string, start: number, end: number): string {
    if (end - start > MAX_LENGTH) return source.slice(start, end).toLowerCase();
    let hash = end - start;
    for (let at = start; at < end; at++) {
      const code = source.charCodeAt(at);
      if (code > 127) return source.slice(start, end).toLowerCase();
      hash = (Math.imul(hash, 31) + lowerCode(code)) | 0;
    }
    const first = hash ^ (hash >>> 12);
    for (let probe = 0; probe < MAX_PROBES; probe++) {
      const slot = (first + probe) & (SLOTS - 1);
      const name = this.#slots[slot];
      if (name === undefined) return this.#add(slot, source.slice(start, end).toLowerCase());
      if (isSame(name, source, start, end)) return name;
    }
    return source.slice(start, end).toLowerCase();
  }

  #add(slot: number, name: string): string {
    if (this.#size >= MAX_NAMES) return name;
    const own = internalized(name);
    this.#slots[slot] = own;
    this.#size++;
    return own;
  }
}

/**
 * Returns a text as the engine stores the keys of objects: a slice of a long string would retain all of that string in
 * memory, and a copy would be compared character by character with the names in code, in sets and in objects.
 */
function internalized(text: string): string {
  return Object.keys({ [text]: true })[0] ?? text;
}

function isSame(name: string, source: string, start: number, end: number): boolean {
  const length = end - start;
  if (name.length !== length) return false;
  for (let index = 0; index < length; index++) {
    if (name.charCodeAt(index) !== lowerCode(source.charCodeAt(start + index))) return false;
  }
  return true;
}

function lowerCode(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code;
}
