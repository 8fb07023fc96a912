import { z } from "zod";
import type { DocumentContent } from "../../content/documents/document-content.ts";
import { readDocument, type DocumentReader, type FileKind } from "../../content/documents/read-document.ts";
import type { CodeEnd, CodeRun, StopReason } from "../../core/sessions/code-run.ts";
import { AppError, ERRORS, type ErrorCode } from "../../core/errors.ts";
import { WorkBudget } from "../../core/work-budget.ts";
import type { LogEvent } from "../../core/text/redact.ts";
import type { CodeRunner } from "../../ports/sessions/code-runner.ts";

/** Response of `sandbox/document-reader.ts`. The process has read untrusted data, so its response is checked. */
const Spent = z.object({ steps: z.number().nonnegative(), bytes: z.number().nonnegative(), cut: z.array(z.string()) });
const DocumentRead = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("read"), content: z.custom<DocumentContent>(isContent), spent: Spent }),
  z.object({ kind: z.literal("failed"), code: z.custom<ErrorCode>(isErrorCode), message: z.string(), spent: Spent }),
]);
type DocumentRead = z.infer<typeof DocumentRead>;

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
 * A deployment without a runner reads documents here, under the same budget. A document on which the runner fails is
 * refused and never read here: the document itself may have caused the failure.
 */
export function documentReaderOf(runner: CodeRunner | undefined, log: (event: LogEvent) => void): DocumentReader {
  if (runner === undefined) return readDocument;
  return async (kind, bytes, { budget = new WorkBudget(), ...source }) => {
    if (!KINDS_APART.has(kind)) return readDocument(kind, bytes, { ...source, budget });
    const limits = { ...budget.left, timeMs: READING_MS };
    const onFailure = (error: unknown): never => {
      log({ event: "document_reader_failed", kind, bytes: bytes.byteLength, message: String(error) });
      throw new AppError("SERVICE_UNAVAILABLE", "This file could not be read; try again in a moment", { cause: error });
    };
    const read = await readApart(runner, { kind, bytes, source, limits }, onFailure);
    budget.take(read.spent.steps);
    budget.takeBytes(read.spent.bytes);
    for (const part of read.spent.cut) budget.cut(part);
    if (read.kind === "failed") throw new AppError(read.code, read.message);
    return read.content;
  };
}

/**
 * Reads a document in the runner. After an unexpected end of the process, which may have another cause, the document is
 * read once more.
 * @throws AppError `SCRAPE_WORK_LIMIT` for a document that was stopped, `SERVICE_UNAVAILABLE` when no process became
 * free; the error of `onFailure` when the runner fails
 */
async function readApart(
  runner: CodeRunner,
  input: unknown,
  onFailure: (error: unknown) => never,
): Promise<DocumentRead> {
  let ended = await runOnce(runner, input).catch(onFailure);
  if (ended.kind === "stopped" && ended.reason === "crash") ended = await runOnce(runner, input).catch(onFailure);
  if (ended.kind === "stopped") throw stopError(ended.reason);
  const read = DocumentRead.safeParse(ended.value);
  return read.success ? read.data : onFailure(new Error("The document reader returned an unknown response"));
}

/** Runs the reader once. The reader's own failures are values. */
function runOnce(runner: CodeRunner, input: unknown): Promise<CodeEnd> {
  const limits = { limitMs: LIMIT_MS, limitMib: LIMIT_MIB };
  const call = { program: "document-reader", method: "read", sessionId: SESSION } as const;
  const run: CodeRun = { ...call, ...limits, runId: crypto.randomUUID(), input };
  return runner.run(run, noBrowser);
}

function isContent(value: unknown): boolean {
  return typeof value === "object" && value !== null && "markdown" in value && typeof value.markdown === "string";
}

function isErrorCode(value: unknown): boolean {
  return typeof value === "string" && Object.hasOwn(ERRORS, value);
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
