import { heightsOf, type Line, type PageText, type Segment, type TextRun } from "../text-run.ts";

/** The properties of a run besides its text and place. */
type Style = Omit<TextRun, "text" | "left" | "right" | "baseline" | "size">;
/** Where a line, a segment or a run is. */
type Place = Pick<TextRun, "left" | "right" | "baseline" | "size">;

/** The text of a page in few objects; see `pack` for the order. */
interface PackedPage extends Omit<PageText, "regions" | "rules"> {
  texts: string;
  counts: Uint32Array;
  places: Float64Array;
  rules: Float64Array;
}

const [BOLD, ITALIC, MONOSPACED, SMALL_CAPS] = [1, 2, 4, 8];

/**
 * The pages of a document with their text. Pages are kept packed, since a run is an object with four numbers of its own, some 200
 * bytes for a word, and an isolate has 128 MB: each turn over the pages unpacks one after another, into new lines.
 */
export class PackedPages implements Iterable<PageText> {
  readonly #pages: PackedPage[] = [];
  readonly #styles: Style[] = [];
  readonly #numbers = new Map<string, number>();

  get length(): number {
    return this.#pages.length;
  }

  add(page: PageText): void {
    const { regions, rules, ...rest } = page;
    const writer: Writer = { texts: [], counts: [], places: [] };
    this.#pack(regions, writer);
    this.#pages.push({
      ...rest,
      texts: writer.texts.join(""),
      counts: Uint32Array.from(writer.counts),
      places: Float64Array.from(writer.places),
      rules: Float64Array.from(rules.flatMap(({ left, right, top, bottom }) => [left, right, top, bottom])),
    });
  }

  *[Symbol.iterator](): Generator<PageText> {
    for (const page of this.#pages) yield this.#unpack(page);
  }

  /**
   * Writes the number of regions and, for each, that of its lines; for each line its signs, the length of its text and the number
   * of its segments; for each segment the number of its runs; for each run its style and the length of its text. Texts and places
   * are in the same order.
   */
  #pack(regions: readonly Line[][], { texts, counts, places }: Writer): void {
    const place = ({ left, right, baseline, size }: Place): void => void places.push(left, right, baseline, size);
    counts.push(regions.length);
    for (const lines of regions) {
      counts.push(lines.length);
      for (const line of lines) {
        counts.push(signsOf(line), line.text.length, line.segments.length);
        texts.push(line.text);
        place(line);
        for (const segment of line.segments) {
          counts.push(segment.runs.length);
          place(segment);
          for (const run of segment.runs) {
            counts.push(this.#numberOf(run), run.text.length);
            texts.push(run.text);
            place(run);
          }
        }
      }
    }
  }

  #unpack({ texts, counts, places, rules, ...rest }: PackedPage): PageText {
    let [count, number, character] = [0, 0, 0];
    const next = (): number => counts[count++] ?? 0;
    const text = (length: number): string => texts.slice(character, (character += length));
    const place = (): Place => {
      const at = number;
      number += 4;
      const [left = 0, right = 0, baseline = 0, size = 0] = [
        places[at],
        places[at + 1],
        places[at + 2],
        places[at + 3],
      ];
      return { left, right, baseline, size };
    };
    const run = (): TextRun => {
      const style = this.#styles[next()];
      return { text: text(next()), ...place(), ...(style as Style) };
    };
    const segment = (): Segment => {
      const length = next();
      const box = place();
      return { runs: times(length, run), ...box, ...heightsOf(box) };
    };
    const line = (): Line => {
      const signs = next();
      const words = text(next());
      const length = next();
      const box = place();
      return {
        segments: times(length, segment),
        ...box,
        ...heightsOf(box),
        isBold: (signs & BOLD) !== 0,
        isItalic: (signs & ITALIC) !== 0,
        isMonospaced: (signs & MONOSPACED) !== 0,
        isSmallCaps: (signs & SMALL_CAPS) !== 0,
        text: words,
      };
    };
    return {
      ...rest,
      regions: times(next(), () => times(next(), line)),
      rules: times(rules.length / 4, (at) => {
        const [left = 0, right = 0, top = 0, bottom = 0] = rules.subarray(at * 4, at * 4 + 4);
        return { left, right, top, bottom };
      }),
    };
  }

  /** Returns the number of the style of a run; a document has some dozens of styles, and one for each address that it links to. */
  #numberOf(run: TextRun): number {
    const { isBold, isItalic, isMonospaced, isRightToLeft, isMath, isSmallCaps, href } = run;
    const style: Style = {
      isBold,
      isItalic,
      isMonospaced,
      isRightToLeft,
      ...(isMath === undefined ? {} : { isMath }),
      ...(isSmallCaps === undefined ? {} : { isSmallCaps }),
      href,
    };
    const key = JSON.stringify(style);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.#styles.length);
    return this.#styles.push(style) - 1;
  }
}

interface Writer {
  texts: string[];
  counts: number[];
  places: number[];
}

function signsOf({ isBold, isItalic, isMonospaced, isSmallCaps }: Line): number {
  return (
    (isBold ? BOLD : 0) | (isItalic ? ITALIC : 0) | (isMonospaced ? MONOSPACED : 0) | (isSmallCaps ? SMALL_CAPS : 0)
  );
}

function times<Item>(length: number, make: (at: number) => Item): Item[] {
  const items: Item[] = [];
  for (let at = 0; at < length; at++) items.push(make(at));
  return items;
}
