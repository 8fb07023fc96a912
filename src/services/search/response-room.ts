import type { Owner } from "../../core/fair-order.ts";
import type { ScrapeDocument } from "../../core/scrape/document.ts";
import type { HeldBytes } from "../../core/waits/held-bytes.ts";

/** Characters of all documents of one response: they are held together, and once more as JSON. */
export const MAX_DOCUMENT_CHARS = 20_000_000;

/** Characters of the first documents of a response, which are there whatever else the team holds in memory. */
const LEAST_CHARS = 1_000_000;
/** Smaller documents are not counted in memory. */
const SMALL_CHARS = 65_536;

const OWN_FIELDS = ["sourceURL", "url", "statusCode", "contentType", "scrapeId", "creditsUsed"] as const;

/** Where the documents of a response are counted until it is complete. */
interface Held {
  memory: HeldBytes;
  owner: Owner;
  clientLeft: AbortSignal | undefined;
}

/** The room that is left for the documents of one response, also beside those of the team's other searches. */
export class ResponseRoom {
  readonly #held: Held;
  readonly #releases: (() => void)[] = [];
  #left = MAX_DOCUMENT_CHARS;
  leftOut = 0;
  /** True when the documents of other requests took the room of one that was left out. */
  isShared = false;

  constructor(held: Held) {
    this.#held = held;
  }

  /** Returns the fields of a document as they are while there is room, then where it is, with an `error`. */
  take(fields: Partial<ScrapeDocument>, isStored: boolean): Partial<ScrapeDocument> {
    const chars = countCharacters(fields, this.#left);
    const fits = chars <= this.#left;
    if (fits && this.#hold(chars)) {
      this.#left -= chars;
      return fields;
    }
    this.leftOut++;
    if (fits) this.isShared = true;
    const { metadata } = fields;
    // The page decides how many other fields there are, and how long.
    const own = OWN_FIELDS.flatMap((name) => (metadata?.[name] === undefined ? [] : [[name, metadata[name]]]));
    const where = isStored ? `GET /v2/scrape/${metadata?.scrapeId ?? "{id}"} returns it` : "Scrape its URL by itself";
    const why = fits
      ? "Other requests of the team take the room for this document"
      : `The documents of a search have ${MAX_DOCUMENT_CHARS.toLocaleString("en")} characters at most`;
    const error = `${why}. ${where}.`;
    return { metadata: { ...Object.fromEntries(own), error } };
  }

  /** Call when the response is complete. */
  release(): void {
    for (const release of this.#releases.splice(0)) release();
  }

  #hold(chars: number): boolean {
    const { memory, owner, clientLeft } = this.#held;
    if (chars < SMALL_CHARS) return true;
    const isLeast = MAX_DOCUMENT_CHARS - this.#left + chars <= LEAST_CHARS;
    const release = isLeast ? memory.hold(owner, chars, clientLeft) : memory.tryTake(owner, chars, clientLeft);
    if (release === undefined) return false;
    this.#releases.push(release);
    return true;
  }
}

/** Adds up the characters of all texts in a JSON value, and one for each other value; more than `most` are not counted. */
function countCharacters(value: unknown, most: number): number {
  let sum = 0;
  const open = [value];
  while (open.length > 0 && sum <= most) {
    const next = open.pop();
    sum += typeof next === "string" ? next.length : 1;
    if (typeof next !== "object" || next === null) continue;
    for (const inner of Object.values(next)) open.push(inner);
  }
  return sum;
}
