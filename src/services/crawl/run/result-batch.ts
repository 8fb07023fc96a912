import { dayKey } from "../../../core/account/day-key.ts";
import type { PageResult } from "../../../core/crawl/frontier.ts";
import type { JobSpecification } from "../../../jobs/kind.ts";
import type { Blobs } from "../../../ports/storage/blobs.ts";
import type { ItemOutcome } from "../item-task.ts";
import { packLinks, type PageLinks } from "../stored-links.ts";

const COMMA = new Uint8Array([0x2c]);

/**
 * Documents of a job that are stored in one object: JSON texts separated by commas, so that a range of it is part of a
 * JSON list, and the links of their pages behind them, compressed. An object whose documents were never reported is deleted with the day in its key.
 */
export class ResultBatch {
  readonly object: string;
  readonly #pieces: Uint8Array[] = [];
  #size = 0;
  readonly #links: { result: Extract<PageResult, { kind: "scraped" }>; page: PageLinks }[] = [];

  constructor({ id, createdAtMs }: Pick<JobSpecification, "id" | "createdAtMs">, part: string) {
    this.object = `results/${dayKey(createdAtMs)}/${id}/${part}`;
  }

  /**
   * Adds the document and the links of an outcome.
   * @returns the result with the document's place; `write` adds the place of the links.
   */
  place({ result, json, links }: ItemOutcome): PageResult {
    if (result.kind !== "scraped") return result;
    const placed = { ...result };
    if (json !== undefined) {
      if (this.#size > 0) this.#add(COMMA);
      placed.offset = this.#size;
      this.#add(new TextEncoder().encode(json));
      placed.length = this.#size - placed.offset;
    }
    if (links !== undefined) this.#links.push({ result: placed, page: links });
    return placed;
  }

  async write(blobs: Pick<Blobs, "put">): Promise<void> {
    await this.#addLinks();
    if (this.#size === 0) return;
    const whole = new Uint8Array(this.#size);
    let offset = 0;
    for (const piece of this.#pieces) {
      whole.set(piece, offset);
      offset += piece.byteLength;
    }
    await blobs.put(this.object, whole, { contentType: "application/json" });
  }

  async #addLinks(): Promise<void> {
    if (this.#links.length === 0) return;
    const packed = await packLinks(this.#links.map(({ page }) => page));
    const offset = this.#size;
    for (const [index, { result }] of this.#links.entries())
      result.links = { offset, length: packed.byteLength, index };
    this.#add(packed);
    // A write that failed is repeated.
    this.#links.length = 0;
  }

  #add(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#size += piece.byteLength;
  }
}
