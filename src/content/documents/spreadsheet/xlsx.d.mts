export * from "@e965/xlsx";

/** What is told of the work of SheetJS, while it is done. What it throws ends the work. */
export interface WorkObserver {
  /** Turns of loops, told after some hundred of them. */
  takeSteps(steps: number): void;
}

/** Sets the one observer of this copy of SheetJS, which `src/tools/build-xlsx.ts` makes. */
export function limitWork(observer: WorkObserver): void;
