import { z } from "zod";
import type { DocumentContent } from "../../content/documents/document-content.ts";
import { attachmentName } from "../../content/documents/kind/attachment-name.ts";
import type { DocumentKind } from "../../content/documents/kind/document-kind.ts";
import { isHeavy } from "../../content/html/is-heavy.ts";
import { FOLLOWED_LINKS, keyOf, uniqueParts, type PagePart, type ReadApart } from "../../content/page-parts.ts";
import type { PageReader, PageToRead } from "../../content/page-view.ts";
import type { PageInput } from "../../content/read-page-input.ts";
import type { Owner } from "../../core/fair-order.ts";
import type { WaitLimit } from "../../core/waits/wait-for-grant.ts";
import type { CodeEnd } from "../../core/sessions/code-run.ts";
import { AppError, isAppError, type ErrorCode } from "../../core/errors.ts";
import { STEPS_HERE } from "./with-reader.ts";
import { inFairOrder, isErrorCode, READING_MS, runApart, stopError, type ReadApartTools } from "./run-apart.ts";

/** Steps and bytes that a reader used of the work budget, and the parts that it left out. */
export const Spent = z.object({
  steps: z.number().nonnegative(),
  bytes: z.number().nonnegative(),
  cut: z.array(z.string()),
});
/** Response of `sandbox/page-reader.ts`. The process has read untrusted data, so its response is checked. */
const PageOutput = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("read"),
    document: z.custom<DocumentContent>(isContent).optional(),
    values: z.array(z.unknown()),
    warnings: z.array(z.string()),
    spent: Spent,
  }),
  z.object({ kind: z.literal("failed"), code: z.custom<ErrorCode>(isErrorCode), message: z.string(), spent: Spent }),
]);
type PageOutput = z.infer<typeof PageOutput>;

const Texts = z.array(z.string());
const VALUES: Record<PagePart["name"], z.ZodType> = {
  facts: z.looseObject({ title: z.string(), text: z.string(), markup: z.string(), emptyContainers: Texts }),
  metadata: z.record(z.string(), z.unknown()),
  markdown: z.string(),
  html: z.string(),
  links: Texts,
  images: Texts,
  attributeValues: Texts,
  fill: z.looseObject({ findings: z.array(z.looseObject({ path: z.array(z.unknown()), quote: z.string() })) }),
  product: z.looseObject({}).nullable(),
  menuFacts: z.looseObject({ sections: z.array(z.looseObject({})), language: z.string() }),
  answer: z.object({ text: z.string(), isFound: z.boolean() }),
  fingerprints: z.array(z.number()),
};

/** Kinds that are read apart whatever their size: their readers unpack, interpret and sort. */
const KINDS_APART: ReadonlySet<DocumentKind> = new Set<DocumentKind>([
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
/** Length of a text, in characters or bytes, that takes at most a tenth of a second. */
export const SMALL_LENGTH = 100_000;

/**
 * Returns a reader that sends documents and large pages to a runner, so that the service serves other requests
 * meanwhile, and a page that exceeds its time or memory ends alone. Small pages are left to the caller, unless they are costly. A page on which
 * the runner fails is refused and never read here: the page itself may have caused the failure. The reader throws
 * SCRAPE_TIMEOUT when the limit is reached.
 */
export function pageReaderOf(tools: ReadApartTools, owner: Owner, limit?: WaitLimit): PageReader {
  return async (page) => {
    if (page.isCostly !== true && !isReadApart(page)) {
      const read = isShared(page) ? await new Reading(tools, page).readShared() : undefined;
      if (read !== "costly") return read;
    }
    const release = tools.waiting.hold(owner, page.loaded.body.length, limit?.left);
    try {
      return await inFairOrder(tools, { owner, limit }, () => new Reading(tools, page, limit?.deadlineMs).read());
    } finally {
      release();
    }
  };
}

function isReadApart({ kind, loaded: { body } }: PageToRead): boolean {
  if (KINDS_APART.has(kind)) return true;
  if (body.length < SMALL_LENGTH) return false;
  return kind !== "html" || isHeavy(body);
}

/** Below this, to send a page to another process takes as much as to read it. */
const MIN_SHARED_LENGTH = 16_000;
/** A page that takes longer is read in a process of its own. */
const SHARED_MS = 1_000;

/** A page of which all parts are known beforehand: another one would be read twice. */
function isShared({ kind, loaded: { body }, open: { parts } }: PageToRead): boolean {
  return kind === "html" && parts !== undefined && body.length >= MIN_SHARED_LENGTH;
}

/** One page that is read in the runner. */
class Reading {
  readonly #tools: ReadApartTools;
  readonly #page: PageToRead;
  readonly #parts: PagePart[];
  readonly #deadlineMs: number | undefined;
  /** The process of the last run was stopped. */
  #isStopped = false;

  constructor(tools: ReadApartTools, page: PageToRead, deadlineMs?: number) {
    this.#tools = tools;
    this.#deadlineMs = deadlineMs;
    this.#page = page;
    // Signals and the response need these of every page.
    this.#parts = uniqueParts([{ name: "facts" }, { name: "metadata" }, ...(page.open.parts ?? [])]);
  }

  /**
   * Reads the page. Of one whose parts are too large together, or take too much work, the links that a job follows are read alone. One
   * whose process was stopped is not read again: its place among the pages is for two runs.
   * @throws AppError as `#readAll` does
   */
  async read(): Promise<ReadApart> {
    try {
      return await this.#readAll();
    } catch (error) {
      const { open } = this.#page;
      const { parts = [] } = open;
      const isFollowed = parts.length > 1 && parts.some((part) => keyOf(part) === keyOf(FOLLOWED_LINKS));
      if (!isFollowed || this.#isStopped || !isAppError(error) || error.code !== "SCRAPE_WORK_LIMIT") throw error;
      const least = { ...this.#page, open: { ...open, parts: [FOLLOWED_LINKS] } };
      const links = await new Reading(this.#tools, least, this.#deadlineMs).#readAll();
      return { ...links, refused: error };
    }
  }

  /**
   * Reads all parts. HTML that takes too much is read once more in one pass, as still larger pages are.
   * @throws AppError `SCRAPE_WORK_LIMIT` for a page that was stopped, `SERVICE_UNAVAILABLE` when no process became free
   * or the runner fails
   */
  async #readAll(): Promise<ReadApart> {
    let isStreamed = this.#page.open.isStreamed ?? false;
    let ended = await this.#run(isStreamed);
    if (ended.kind === "stopped" && ended.reason !== "busy" && this.#page.kind === "html" && !isStreamed) {
      isStreamed = true;
      ended = await this.#run(isStreamed);
    }
    this.#isStopped = ended.kind === "stopped";
    if (ended.kind === "stopped") throw stopError("page", ended.reason);
    return this.#accept(this.#check(ended.value), isStreamed);
  }

  /**
   * Reads the page in the process that a busy service shares among its pages.
   * @returns undefined when it is to be read here: there is no such process, it has enough to do, or a part has an error of
   * its own; `costly` when the page takes more than one of moderate size may, or may have ended that process
   */
  async readShared(): Promise<ReadApart | undefined | "costly"> {
    const isStreamed = this.#page.open.isStreamed ?? false;
    const { left } = this.#page.budget;
    const limits = { ...left, steps: Math.min(STEPS_HERE, left.steps), timeMs: SHARED_MS };
    const answered = await this.#tools.shared?.read(() => this.#input(isStreamed, limits));
    if (answered === undefined) return undefined;
    if ("error" in answered) {
      this.#tools.log({ event: "shared_reader_failed", message: String(answered.error) });
      return "costly";
    }
    const output = this.#check(answered.value);
    if (output.kind === "failed") return output.code === "SCRAPE_WORK_LIMIT" ? "costly" : undefined;
    const isCut = output.spent.cut.length > 0 || output.spent.steps > limits.steps;
    return isCut ? "costly" : this.#accept(output, isStreamed);
  }

  #accept(output: PageOutput, isStreamed: boolean): ReadApart {
    const { budget } = this.#page;
    budget.take(output.spent.steps);
    budget.takeBytes(output.spent.bytes);
    for (const part of output.spent.cut) budget.cut(part);
    if (output.kind === "failed") throw new AppError(output.code, output.message);
    const { document, values, warnings } = output;
    return { document, values, warnings, isStreamed, parts: this.#parts };
  }

  #run(isStreamed: boolean): Promise<CodeEnd> {
    return runApart(this.#tools, {
      method: "read",
      deadlineMs: this.#deadlineMs,
      input: this.#input(isStreamed, { ...this.#page.budget.left, timeMs: READING_MS }),
    }).catch((error: unknown) => this.#fail(error));
  }

  #input(isStreamed: boolean, limits: PageInput["limits"]): PageInput {
    const { loaded, open } = this.#page;
    const { url, contentType, fileName = attachmentName(loaded), body } = loaded;
    const { site, ...clean } = open.clean;
    const template = site === undefined ? {} : { site: { text: site.serialize(), isCautious: site.isCautious } };
    return {
      page: { url, contentType, ...(fileName === undefined ? {} : { fileName }) },
      body: typeof body === "string" ? new TextEncoder().encode(body) : body,
      isText: typeof body === "string",
      clean: { ...clean, ...template },
      pdf: open.pdf,
      pictures: open.pictures ?? false,
      parts: this.#parts,
      isStreamed,
      limits,
    };
  }

  #check(value: unknown): PageOutput {
    const { success, data } = PageOutput.safeParse(value);
    if (success && (data.kind === "failed" || this.#isComplete(data))) return data;
    return this.#fail(new Error("The page reader returned an unknown response"));
  }

  #isComplete({ document, values }: PageOutput & { kind: "read" }): boolean {
    const isWhole = values.length === this.#parts.length && (this.#page.kind === "html") === (document === undefined);
    return isWhole && this.#parts.every(({ name }, index) => VALUES[name].safeParse(values[index]).success);
  }

  #fail(error: unknown): never {
    if (isAppError(error)) throw error;
    const { kind, loaded } = this.#page;
    const { length } = loaded.body;
    this.#tools.log({ event: "page_reader_failed", kind, length, message: String(error) });
    throw new AppError("SERVICE_UNAVAILABLE", "This page could not be read; try again in a moment", { cause: error });
  }
}

function isContent(value: unknown): boolean {
  return typeof value === "object" && value !== null && "markdown" in value && typeof value.markdown === "string";
}
