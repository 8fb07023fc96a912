export * from "@e965/xlsx";

/** Receives reports of the work of SheetJS while it runs. An exception from it ends the work. */
export interface WorkObserver {
  /** Iterations of loops, reported after some hundred of them. */
  takeSteps(steps: number): void;
}

/** Sets the one observer of this copy of SheetJS, which `src/tools/build-xlsx.ts` builds. */
export function limitWork(observer: WorkObserver): void;
