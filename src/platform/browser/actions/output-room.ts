import { countJsonValues, isDeeperThan } from "../../../core/text/count-json-values.ts";

/** Bytes of the outputs of all actions of a load. A Worker has 128 MB. */
const MAX_BYTES = 50_000_000;
/** Bytes that an object, list, field or entry takes in memory, of which an empty object has two. */
const BYTES_PER_VALUE = 32;
/** Lists and objects within each other. */
const MAX_LEVELS = 1_000;

/** The room for the outputs of a load's actions, which are in memory until the end of the load. */
export class OutputRoom {
  #left = MAX_BYTES;

  /** Takes room for the characters of a text or the bytes of a file. @throws Error when there is not enough */
  take(size: number): void {
    this.#left -= size;
    if (this.#left < 0) {
      throw new Error(`the results of the actions are together larger than ${MAX_BYTES / 1_000_000} MB`);
    }
  }

  /**
   * Takes room for a text in JSON and the values in it, before it is parsed.
   * @throws Error as above, and for lists and objects that are too deep to be written again
   */
  takeJson(json: string): void {
    this.take(json.length);
    const bytes = new TextEncoder().encode(json);
    if (isDeeperThan(bytes, MAX_LEVELS)) throw new Error(`the result has more than ${MAX_LEVELS} levels`);
    const most = Math.floor(this.#left / BYTES_PER_VALUE);
    this.take(countJsonValues(bytes, most) * BYTES_PER_VALUE);
  }
}
