export * from "unpdf/pdfjs";

/**
 * Receives reports of the work of pdf.js while it runs. An exception from these methods ends the work, or the part of
 * it that is not needed.
 */
export interface WorkObserver {
  /** Iterations of loops, reported after some hundred of them; a call counts as some iterations. */
  takeSteps(steps: number): void;
  /** Bytes by which decoded data grows, and the size that its stream has reached. */
  takeBytes(bytes: number, length: number): void;
  /**
   * Inflates a zlib stream, and counts its bytes.
   * @throws for a damaged or too large one, which pdf.js then reads as far as it can
   */
  inflate(packed: Uint8Array): Uint8Array;
  /** Reports that a form was left out because it is nested too deeply. */
  leaveForm(): void;
  /** Reports that a page has more annotations than are read. */
  leaveAnnotations(): void;
  /** Reports an image, none of which is decoded. */
  leaveImage(): void;
  /** Reports that a path, an image or a form is painted, when the operator is read. */
  paint(): void;
}

/** Sets the one observer of this copy of pdf.js, which `src/tools/build-pdfjs.ts` builds. */
export function limitWork(observer: WorkObserver): void;
