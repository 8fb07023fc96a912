import type { ParsingOptions, WorkBook } from "@e965/xlsx";

export * from "@e965/xlsx";

/** A stream of a compound file, with the reading methods that SheetJS adds to its bytes. */
export interface StreamEntry {
  name: string;
  /** Always 2, a stream. */
  type: number;
  size: number;
  content: Uint8Array;
}

/** Reads an Excel 97–2003 workbook from the streams of its compound file. */
export function parse_xlscfb(
  container: { FullPaths: string[]; FileIndex: StreamEntry[] },
  options: ParsingOptions,
): WorkBook;

/** Receives reports of the work of SheetJS while it runs. An exception from it ends the work. */
export interface WorkObserver {
  /** Iterations of loops, reported after some hundred of them. */
  takeSteps(steps: number): void;
  /** Bytes of a cell, column or other object, before it is copied. */
  takeBytes(bytes: number): void;
}

/** Sets the one observer of this copy of SheetJS, which `src/tools/build-xlsx.ts` builds. */
export function limitWork(observer: WorkObserver): void;
