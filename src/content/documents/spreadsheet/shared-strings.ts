import { closing } from "./limit-parts.ts";

/** The start of the list, and the ends of its strings, by which SheetJS counts them. */
const LIST_START = /<(?:\w{1,20}:)?sst(?=[\s>])[^<>]*>/;
const STRING_END = /<\/(?:\w{1,20}:)?(?:si|sstItem)>/g;
const CELL = /<(?:\w{1,20}:)?c\s([^<>]*)>/g;
const IS_STRING = /(?:^|\s)t\s*=\s*["']s["']/;
/** The value of a cell, or the cell's end. */
const VALUE = /<(?:\w{1,20}:)?(?:v(?:\s[^<>]*)?>\s*(\d{1,9})|\/?c[\s>])/g;

/** The shared strings of an Excel workbook (ECMA-376 part 1 § 18.4.9), which cells name by their number. */
export class SharedStrings {
  readonly #xml: string;
  /** Where each string begins, and where the last one ends. */
  readonly #starts: Uint32Array;

  constructor(xml: string) {
    this.#xml = xml;
    const list = LIST_START.exec(xml);
    const starts = [list === null ? 0 : list.index + list[0].length];
    if (list !== null) for (const { index, 0: end } of xml.matchAll(STRING_END)) starts.push(index + end.length);
    this.#starts = Uint32Array.from(starts);
  }

  /** Returns rows of cells with numbers in a list of the strings that they have, and this list. */
  within(rows: string): { rows: string; strings: string } {
    const numbers = new Map<number, number>();
    const written: string[] = [];
    let last = 0;
    for (const { index, 0: tag, 1: attributes = "" } of rows.matchAll(CELL)) {
      if (!IS_STRING.test(attributes)) continue;
      VALUE.lastIndex = index + tag.length;
      const value = VALUE.exec(rows);
      if (value?.[1] === undefined) continue;
      const number = numbers.get(Number(value[1])) ?? numbers.size;
      numbers.set(Number(value[1]), number);
      written.push(rows.slice(last, VALUE.lastIndex - value[1].length), String(number));
      last = VALUE.lastIndex;
    }
    const texts = [...numbers.keys()].map((number) => this.#stringAt(number));
    const head = this.#xml.slice(0, this.#starts[0]);
    return { rows: written.join("") + rows.slice(last), strings: head + texts.join("") + closing(head) };
  }

  /** Returns the XML of a string; an empty one for a number beyond the list, so that those behind it keep theirs. */
  #stringAt(number: number): string {
    const end = this.#starts[number + 1];
    return end === undefined ? "<si></si>" : this.#xml.slice(this.#starts[number], end);
  }
}
