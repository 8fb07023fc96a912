import type { ErrorCode } from "../../../core/errors.ts";
import type { EngineOutcome } from "../../../core/scrape/page.ts";

/** Ends a load early with its outcome, from wherever the reason was found. */
export class LoadEnd extends Error {
  readonly outcome: EngineOutcome;

  constructor(outcome: EngineOutcome) {
    super(outcome.kind === "failed" ? outcome.message : outcome.kind);
    this.name = "LoadEnd";
    this.outcome = outcome;
  }
}

/** The time of the load is up. */
export class DeadlineError extends Error {
  constructor() {
    super("The page did not load in time");
    this.name = "DeadlineError";
  }
}

/** The process behind the page died. */
export class PageCrashedError extends Error {
  constructor() {
    super("The page crashed the browser tab");
    this.name = "PageCrashedError";
  }
}

/** A navigation ended without a document and without an error: a download, or nothing that a page could show. */
export class NoDocumentError extends Error {
  constructor() {
    super("The navigation brought no document");
    this.name = "NoDocumentError";
  }
}

export function failed(code: ErrorCode, message: string, cause?: unknown): EngineOutcome {
  return { kind: "failed", code, message, ...(cause === undefined ? {} : { cause }) };
}
