export * from "unpdf/pdfjs";

/** What is told of the work of pdf.js, while it is done. Whatever these throw ends the work, or the part of it that is not needed. */
export interface WorkObserver {
  /** Turns of loops, told after some hundred of them; calls count some turns each. */
  takeSteps(steps: number): void;
  /** Bytes by which decoded data grows, and what the stream that they are of has grown to. */
  takeBytes(bytes: number, length: number): void;
  /** A form within too many others is left out. */
  leaveForm(): void;
}

/** Sets the one observer of this copy of pdf.js, which `src/tools/build-pdfjs.ts` makes. */
export function limitWork(observer: WorkObserver): void;
