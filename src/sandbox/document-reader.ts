import { WorkerEntrypoint } from "cloudflare:workers";
import { readDocument, type DocumentSource, type FileKind } from "../content/documents/read-document.ts";
import type { DocumentContent } from "../content/documents/document-content.ts";
import { isAppError, type ErrorCode } from "../core/errors.ts";
import { WorkBudget } from "../core/work-budget.ts";

/** A file, and how it is to be read. */
export interface DocumentToRead {
  kind: FileKind;
  bytes: Uint8Array;
  source: Omit<DocumentSource, "budget">;
  /** The remainder of the request's work budget, and the time after which reading ends with what was read. */
  limits: { steps: number; bytes: number; timeMs: number };
}

/** The result. Errors are values, since error codes are lost when an exception crosses isolates. */
export type DocumentRead = (
  | { kind: "read"; content: DocumentContent }
  | { kind: "failed"; code: ErrorCode; message: string }
) & { spent: { steps: number; bytes: number; cut: string[] } };

/** Reads documents apart from the service: what a reader's own limits do not stop ends with this isolate. */
export default class DocumentReader extends WorkerEntrypoint {
  async read({ kind, bytes, source, limits }: DocumentToRead): Promise<DocumentRead> {
    const { steps, bytes: maxBytes, timeMs } = limits;
    const now = (): number => Date.now();
    const budget = new WorkBudget({ steps, bytes: maxBytes, deadline: { atMs: now() + timeMs, now } });
    const spent = () => ({ steps: budget.steps, bytes: budget.bytes, cut: budget.cutParts });
    try {
      return { kind: "read", content: await readDocument(kind, bytes, { ...source, budget }), spent: spent() };
    } catch (error) {
      if (!isAppError(error)) throw error;
      return { kind: "failed", code: error.code, message: error.message, spent: spent() };
    }
  }
}
