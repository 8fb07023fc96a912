import { ofPages, pageList } from "../listed.ts";
import type { CheckedReading } from "./check-reading.ts";

/** Values of one page that a warning names. */
const MAX_NAMED = 10;
const MAX_PAGES_NAMED = 20;
const MAX_VALUE_CHARACTERS = 40;

/** Collects what the comparison of vision models' readings has found, page by page. */
export class VisionNotes {
  readonly #unchecked: number[] = [];
  readonly #refused: number[] = [];
  readonly #cut: number[] = [];
  readonly #unconfirmed: { pageNumber: number; values: string[] }[] = [];

  add(pageNumber: number, { isUsable, isChecked, unconfirmed }: CheckedReading, isCut: boolean): void {
    if (!isUsable) this.#refused.push(pageNumber);
    else if (!isChecked) this.#unchecked.push(pageNumber);
    else if (unconfirmed.length > 0) this.#unconfirmed.push({ pageNumber, values: unconfirmed });
    if (isUsable && isCut) this.#cut.push(pageNumber);
  }

  /** The findings in words for the caller; an empty string when there are none. */
  get warning(): string {
    const words: string[] = [];
    for (const { pageNumber, values } of this.#unconfirmed.slice(0, MAX_PAGES_NAMED)) {
      const named = values.slice(0, MAX_NAMED).map((value) => JSON.stringify(value.slice(0, MAX_VALUE_CHARACTERS)));
      const more = values.length > MAX_NAMED ? ` and ${values.length - MAX_NAMED} more` : "";
      words.push(
        `On page ${pageNumber}, the vision model wrote what OCR and the text layer do not have: ${named.join(", ")}${more}.`,
      );
    }
    const others = this.#unconfirmed.slice(MAX_PAGES_NAMED).map(({ pageNumber }) => pageNumber);
    if (others.length > 0) words.push(`So it did on ${pageList(others)}.`);
    if (this.#unchecked.length > 0) {
      words.push(
        `${ofPages(this.#unchecked, "was", "were")} read by the vision model alone: no words confirm the text.`,
      );
    }
    if (this.#refused.length > 0) {
      words.push(`The vision model's text of ${pageList(this.#refused)} was left out: it is not the text of the page.`);
    }
    if (this.#cut.length > 0) words.push(`The vision model's text of ${pageList(this.#cut)} breaks off.`);
    return words.join(" ");
  }
}
