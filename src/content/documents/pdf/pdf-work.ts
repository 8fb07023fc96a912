import { AsyncLocalStorage } from "node:async_hooks";
import { inflateSync } from "node:zlib";
import { limitWork } from "#pdfjs";
import { WorkBudget } from "../../../core/work-budget.ts";

/** Iterations of pdf.js' loops that count as one step of a budget. */
const ITERATIONS_PER_STEP = 64;
/** Comparisons of positions on a page that count as one step. */
export const COMPARISONS_PER_STEP = 32;
/**
 * Steps of a small PDF, which take one to three seconds, and the steps for each byte of a larger one. Dense pages take 3,000 to
 * 20,000 steps each. Packed well, as by LaTeX, they take up to 8 steps for each byte. A step takes 1 to 3 µs, with the layout and
 * the Markdown of the text that it read.
 */
const STEPS = { least: 1_500_000, perByte: 8, most: 5_000_000 };
/** Steps for each byte of a file whose objects pdf.js searches for, since its table of them is missing or damaged; 30 ns each byte. */
const SEARCHED = 0.17;
/** Decoded bytes of all streams of a PDF, which are not in memory at the same time. */
const DECODED_BYTES = { least: 32_000_000, perByte: 32, most: 160_000_000 };
/**
 * Steps for the drawn lines of one page, and of all pages as a share of the steps for the text. A page of 500 bordered
 * cells takes 75,000. Loading a font of Chinese or an Indian script takes up to 60,000 by itself.
 */
export const DRAWING_STEPS = { page: 120_000, share: 0.5, font: 60_000 };
/** Decoded bytes of one stream; an isolate has 128 MB. */
const MAX_STREAM_BYTES = 24_000_000;

/** The work for one PDF in pdf.js and in the layout of its text. */
export class PdfWork {
  /** Budget of the text; while the file is opened, also for the search of its objects. */
  budget: WorkBudget;
  /** Set when a stream was left out because it unpacks to too much. */
  hasLargeStream = false;
  /** Set when a form was left out because it is nested too deeply. */
  hasDeepForms = false;
  /** Images that pdf.js has met and left out. */
  images = 0;
  /** Paths, images and forms that pdf.js has met where they are painted. */
  painted = 0;
  /** Set when a page has more annotations than are read. */
  hasManyAnnotations = false;

  readonly #drawings: WorkBudget;
  /** Steps for the text. */
  readonly #steps: number;
  #skipsRest = false;
  /** Budget of the page whose drawn lines are being read. */
  #drawing: WorkBudget | undefined;

  constructor(fileBytes: number, parent: WorkBudget | undefined) {
    this.#steps = limitFor(fileBytes, STEPS);
    const bytes = limitFor(fileBytes, DECODED_BYTES);
    const search = Math.min(STEPS.most, fileBytes * SEARCHED);
    this.budget = new WorkBudget({ steps: this.#steps + search, bytes }, parent);
    this.#drawings = new WorkBudget({ steps: this.#steps * DRAWING_STEPS.share, bytes }, parent);
  }

  /** Ends the part of the budget for opening the file: steps that no search of objects took are none for the text. */
  startPages(): void {
    this.budget = this.budget.within({ steps: this.#steps });
  }

  /** Runs a call of pdf.js; its work is counted here, including later work on behalf of this call. */
  run<Result>(call: () => Promise<Result>): Promise<Result> {
    return current.run(this, call);
  }

  /**
   * Reads the drawn lines of one page within a budget of their own, so that drawings leave the text its steps. Work of
   * pdf.js meanwhile counts there. Returns undefined when the budget does not suffice.
   */
  async readDrawing<Result>(read: (budget: WorkBudget) => Promise<Result>): Promise<Result | undefined> {
    if (this.budget.isSpent || this.#drawings.isSpent) return undefined;
    const budget = this.#drawings.within({ steps: DRAWING_STEPS.page });
    this.#drawing = budget;
    try {
      const result = await read(budget);
      return budget.isSpent ? undefined : result;
    } finally {
      this.#drawing = undefined;
    }
  }

  /** Aborts the work of pdf.js until `goOn` is called; pdf.js returns the results so far. */
  skipRest(): void {
    this.#skipsRest = true;
  }

  /** Ends the effect of `skipRest`. */
  goOn(): void {
    this.#skipsRest = false;
  }

  /** Counts decoded bytes. @throws when there is no budget. */
  takeBytes(bytes: number): void {
    (this.#drawing ?? this.budget).spendBytes(bytes);
  }

  /** Counts iterations of loops. @throws when there is no budget, or the rest is to be skipped. */
  takeIterations(iterations: number): void {
    (this.#drawing ?? this.budget).spend(iterations / ITERATIONS_PER_STEP);
    if (this.#skipsRest) throw new Error("The rest is not read");
  }

  /** The parts that were left out, in words for the caller; an empty string when nothing was. */
  get warning(): string {
    if (this.budget.isSpent)
      return "Reading this PDF takes more work than this service allows; the text is incomplete.";
    const parts = [
      this.hasDeepForms ? "Parts of the PDF are nested too deeply and were left out." : "",
      this.hasManyAnnotations ? "A page has too many links and notes; some of them were left out." : "",
      this.hasLargeStream
        ? `A part of the PDF unpacks to more than ${MAX_STREAM_BYTES / 1_000_000} MB and was left out.`
        : "",
    ];
    return parts.filter((part) => part !== "").join(" ");
  }
}

function limitFor(fileBytes: number, { least, perByte, most }: typeof STEPS): number {
  return Math.min(most, least + fileBytes * perByte);
}

const current = new AsyncLocalStorage<PdfWork>();

limitWork({
  takeSteps: (iterations) => workInHand().takeIterations(iterations),
  takeBytes,
  inflate(packed) {
    // A copy of its own: pdf.js also reads the whole of the buffer that is below.
    const unpacked = new Uint8Array(inflateSync(packed, { maxOutputLength: MAX_STREAM_BYTES }));
    takeBytes(unpacked.length, unpacked.length);
    return unpacked;
  },
  leaveForm() {
    workInHand().hasDeepForms = true;
  },
  leaveImage() {
    workInHand().images++;
  },
  paint() {
    workInHand().painted++;
  },
  leaveAnnotations() {
    workInHand().hasManyAnnotations = true;
  },
});

function takeBytes(bytes: number, length: number): void {
  const work = workInHand();
  work.takeBytes(bytes);
  if (length <= MAX_STREAM_BYTES) return;
  work.hasLargeStream = true;
  throw new Error(`A stream unpacks to more than ${MAX_STREAM_BYTES} bytes`);
}

function workInHand(): PdfWork {
  const work = current.getStore();
  if (work === undefined) throw new Error("Work of pdf.js that no budget counts");
  return work;
}
