import type { ScrapeDocument } from "../../core/scrape/document.ts";

/** Characters of all documents of one response: they are held together, and once more as JSON. */
export const MAX_DOCUMENT_CHARS = 20_000_000;

const OWN_FIELDS = ["sourceURL", "url", "statusCode", "contentType", "scrapeId", "creditsUsed"] as const;

/** The room that is left for the documents of one response. */
export class ResponseRoom {
  #left = MAX_DOCUMENT_CHARS;
  leftOut = 0;

  /** Returns the fields of a document as they are while there is room, then where it is, with an `error`. */
  take(fields: Partial<ScrapeDocument>, isStored: boolean): Partial<ScrapeDocument> {
    const chars = countCharacters(fields, this.#left);
    if (chars <= this.#left) {
      this.#left -= chars;
      return fields;
    }
    this.leftOut++;
    const { metadata } = fields;
    // The page decides how many other fields there are, and how long.
    const own = OWN_FIELDS.flatMap((name) => (metadata?.[name] === undefined ? [] : [[name, metadata[name]]]));
    const where = isStored ? `GET /v2/scrape/${metadata?.scrapeId ?? "{id}"} returns it` : "Scrape its URL by itself";
    const error = `The documents of a search have ${MAX_DOCUMENT_CHARS.toLocaleString("en")} characters at most. ${where}.`;
    return { metadata: { ...Object.fromEntries(own), error } };
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
