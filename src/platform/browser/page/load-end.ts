import type { ErrorCode } from "../../../core/errors.ts";
import type { EngineOutcome } from "../../../core/scrape/page.ts";

/** Ends a load early with its outcome, from any depth of the call stack. */
export class LoadEnd extends Error {
  readonly outcome: EngineOutcome;

  constructor(outcome: EngineOutcome) {
    super(outcome.kind === "failed" ? outcome.message : outcome.kind);
    this.name = "LoadEnd";
    this.outcome = outcome;
  }
}

/** The deadline of the load has passed. */
export class DeadlineError extends Error {
  constructor() {
    super("The page did not load in time");
    this.name = "DeadlineError";
  }
}

/** The renderer process of the page crashed. */
export class PageCrashedError extends Error {
  constructor() {
    super("The page crashed the browser tab");
    this.name = "PageCrashedError";
  }
}

/** A navigation ended without a document and without an error: a download, or content that cannot be displayed. */
export class NoDocumentError extends Error {
  constructor() {
    super("The navigation brought no document");
    this.name = "NoDocumentError";
  }
}

export function failed(code: ErrorCode, message: string, cause?: unknown): EngineOutcome {
  return { kind: "failed", code, message, ...(cause === undefined ? {} : { cause }) };
}
