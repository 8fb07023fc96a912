import { dayKey } from "../../core/account/day-key.ts";
import type { PageResult } from "../../core/crawl/frontier.ts";
import type { JobSpecification } from "../../jobs/kind.ts";
import type { Blobs } from "../../ports/storage/blobs.ts";
import type { ItemOutcome } from "../scrape/scrape-item.ts";

const COMMA = new Uint8Array([0x2c]);

/**
 * Documents of a job that are stored in one object: JSON texts separated by commas, so that a range of it is part of a
 * JSON list. An object whose documents were never reported is deleted with the day in its key.
 */
export class ResultBatch {
  readonly object: string;
  readonly #pieces: Uint8Array[] = [];
  #size = 0;

  constructor({ id, createdAtMs }: Pick<JobSpecification, "id" | "createdAtMs">, part: string) {
    this.object = `results/${dayKey(createdAtMs)}/${id}/${part}`;
  }

  /** Adds the document of an outcome. @returns the result with the document's place. */
  place({ result, json }: ItemOutcome): PageResult {
    if (result.kind !== "scraped" || json === undefined) return result;
    if (this.#size > 0) this.#add(COMMA);
    const offset = this.#size;
    this.#add(new TextEncoder().encode(json));
    return { ...result, offset, length: this.#size - offset };
  }

  async write(blobs: Pick<Blobs, "put">): Promise<void> {
    if (this.#size === 0) return;
    const whole = new Uint8Array(this.#size);
    let offset = 0;
    for (const piece of this.#pieces) {
      whole.set(piece, offset);
      offset += piece.byteLength;
    }
    await blobs.put(this.object, whole, { contentType: "application/json" });
  }

  #add(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#size += piece.byteLength;
  }
}
