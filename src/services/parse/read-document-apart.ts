import type { DocumentContent } from "../../content/documents/document-content.ts";
import { readDocument, type DocumentReader, type FileKind } from "../../content/documents/read-document.ts";
import type { CodeEnd, CodeRun, StopReason } from "../../core/sessions/code-run.ts";
import { AppError, type ErrorCode } from "../../core/errors.ts";
import { WorkBudget } from "../../core/work-budget.ts";
import type { CodeRunner } from "../../ports/sessions/code-runner.ts";

/** Response of `sandbox/document-reader.ts`. */
type DocumentRead = (
  | { kind: "read"; content: DocumentContent }
  | { kind: "failed"; code: ErrorCode; message: string }
) & { spent: { steps: number; bytes: number; cut: string[] } };

/** Kinds that are read in a separate process: their readers unpack, interpret and sort. Plain text is read here. */
const KINDS_APART: ReadonlySet<FileKind> = new Set<FileKind>([
  "pdf",
  "docx",
  "doc",
  "odt",
  "rtf",
  "pptx",
  "ppt",
  "odp",
  "epub",
  "xlsx",
  "xls",
  "ods",
]);
/** Name of the processes that all documents share. */
const SESSION = "documents";
const LIMIT_MS = 30_000;
/**
 * A reader that counts its work returns what it has after this time. The platform's clock stops while a Worker
 * computes; there, steps and processor time alone end the reader.
 */
const READING_MS = 20_000;
/** A document of 50 MB is in memory several times while it is transferred and unpacked. */
const LIMIT_MIB = 1_024;

/**
 * Returns a reader that sends documents to a runner, so that a document that exceeds its time or memory ends alone.
 * Without a working runner, documents are read here, under the same budget.
 */
export function documentReaderOf(runner: CodeRunner | undefined): DocumentReader {
  if (runner === undefined) return readDocument;
  return async (kind, bytes, { budget = new WorkBudget(), ...source }) => {
    const readHere = () => readDocument(kind, bytes, { ...source, budget });
    if (!KINDS_APART.has(kind)) return readHere();
    const read = await readApart(runner, { kind, bytes, source, limits: { ...budget.left, timeMs: READING_MS } });
    if (read === undefined) return readHere();
    budget.take(read.spent.steps);
    budget.takeBytes(read.spent.bytes);
    for (const part of read.spent.cut) budget.cut(part);
    if (read.kind === "failed") throw new AppError(read.code, read.message);
    return read.content;
  };
}

/**
 * Reads a document in the runner; undefined when the runner does not work, as on a plan without dynamic Workers. After
 * an unexpected end of the process, which may have another cause, the document is read once more.
 * @throws AppError `SCRAPE_WORK_LIMIT` for a document that was stopped, `SERVICE_UNAVAILABLE` when no process became
 * free
 */
async function readApart(runner: CodeRunner, input: unknown): Promise<DocumentRead | undefined> {
  let ended = await runOnce(runner, input);
  if (ended?.kind === "stopped" && ended.reason === "crash") ended = await runOnce(runner, input);
  if (ended === undefined) return undefined;
  if (ended.kind === "done") return ended.value as DocumentRead;
  throw stopError(ended.reason);
}

/** Runs the reader once; undefined when the runner fails. The reader's own failures are values. */
function runOnce(runner: CodeRunner, input: unknown): Promise<CodeEnd | undefined> {
  const limits = { limitMs: LIMIT_MS, limitMib: LIMIT_MIB };
  const call = { program: "document-reader", method: "read", sessionId: SESSION } as const;
  const run: CodeRun = { ...call, ...limits, runId: crypto.randomUUID(), input };
  return runner.run(run, noBrowser).catch(() => undefined);
}

function stopError(reason: StopReason): AppError {
  switch (reason) {
    case "time":
      return new AppError("SCRAPE_WORK_LIMIT", "Reading this file takes longer than this service allows");
    case "memory":
      return new AppError("SCRAPE_WORK_LIMIT", "Reading this file takes more memory than this service allows");
    case "crash":
      return new AppError("SCRAPE_WORK_LIMIT", "The process that read this file ended unexpectedly, twice");
    case "busy":
      return new AppError("SERVICE_UNAVAILABLE", "Too many files are being read; try again in a moment");
  }
}

function noBrowser(): Promise<Response> {
  return Promise.resolve(new Response("There is no browser", { status: 403 }));
}
