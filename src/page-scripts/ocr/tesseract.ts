import type { OcrLanguage } from "../../core/ocr/guess-language.ts";
import type { GreyPicture } from "./grey-picture.ts";

/** The parts of Tesseract's interface (tesseract.js-core) that are used. */
interface TessBaseApi {
  Init(path: null, language: string, engine: number): number;
  SetPageSegMode(mode: number): void;
  SetVariable(name: string, value: string): void;
  SetImageFile(orientation: number, angle: number): number;
  SetSourceResolution(dpi: number): void;
  Recognize(monitor: null): number;
  GetHOCRText(page: number): string;
  Clear(): void;
  End(): void;
}

interface TesseractModule {
  FS: { writeFile(path: string, bytes: Uint8Array): void; unlink(path: string): void };
  TessBaseAPI: new () => TessBaseApi;
}

declare global {
  /** Defined by `tesseract.js`, which the page loads before this program. */
  const TesseractCore: (options: { locateFile(name: string): string }) => Promise<TesseractModule>;
}

/** Neural network alone. */
const LSTM_ONLY = 1;
/** Automatic page segmentation without detection of the orientation, and for scattered text. */
export const SEGMENTATION = { automatic: 3, sparse: 11 } as const;

/** Tesseract with the data of one language at a time. */
export class Tesseract {
  readonly #module: TesseractModule;
  readonly #api: TessBaseApi;
  #language: OcrLanguage | undefined;

  private constructor(module: TesseractModule) {
    this.#module = module;
    this.#api = new module.TessBaseAPI();
  }

  static async load(): Promise<Tesseract> {
    return new Tesseract(await TesseractCore({ locateFile: () => "/tesseract.wasm" }));
  }

  get language(): OcrLanguage | undefined {
    return this.#language;
  }

  /** Loads the data of a language. @throws Error when Tesseract refuses it */
  async use(language: OcrLanguage): Promise<void> {
    if (this.#language === language) return;
    const response = await fetch(`/${language}.traineddata.gz`);
    if (!response.ok || response.body === null) throw new Error(`There is no data of ${language}`);
    const data = await new Response(response.body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
    const path = `./${language}.traineddata`;
    this.#module.FS.writeFile(path, new Uint8Array(data));
    const failure = this.#api.Init(null, language, LSTM_ONLY);
    this.#module.FS.unlink(path);
    if (failure !== 0) throw new Error(`The data of ${language} cannot be used`);
    this.#language = language;
  }

  /** Returns the text of a picture as hOCR. */
  read({ width, height, pixels }: GreyPicture, { dpi, mode }: { dpi: number; mode: number }): string {
    // The portable grey map of Netpbm.
    const head = new TextEncoder().encode(`P5\n${width} ${height}\n255\n`);
    const file = new Uint8Array(head.length + pixels.length);
    file.set(head);
    file.set(pixels, head.length);
    this.#module.FS.writeFile("/input", file);
    try {
      this.#api.SetPageSegMode(mode);
      this.#api.SetImageFile(1, 0);
      this.#api.SetSourceResolution(dpi);
      this.#api.Recognize(null);
      return this.#api.GetHOCRText(0);
    } finally {
      this.#api.Clear();
      this.#module.FS.unlink("/input");
    }
  }
}
