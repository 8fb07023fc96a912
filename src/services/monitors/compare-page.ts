import { isAppError } from "../../core/errors.ts";
import { contentFingerprint } from "../../content/text/content-fingerprint.ts";
import type { RunTextTask } from "../../content/text-tasks/text-tasks.ts";
import type { ScrapeDocument } from "../../core/scrape/document.ts";
import { isConvertedAnew, type PageSource } from "../../core/scrape/page-source.ts";
import type { MonitorPage, PageState, PlannedPage } from "../../core/monitors/monitor.ts";
import { cutUtf8, utf8Length } from "../../core/text/utf8.ts";
import type { ChangeTrackingRequest } from "../../formats/change-tracking.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import type { ChangeHistory, PageSnapshot } from "../../ports/storage/change-history.ts";

/** D1 limits rows to 2 MB. Longer text is compared as a whole by its hash, and line by line up to this size. */
const MAX_TEXT_BYTES = 600_000;
/** Longer data are not stored: the next check then cannot compare fields, and says so. */
const MAX_EXTRACTED_BYTES = 400_000;
const COMPARED = `only the first ${MAX_TEXT_BYTES} bytes of the text are compared line by line`;
const TOO_LONG = `changeTracking: the data of the page take more than ${MAX_EXTRACTED_BYTES} bytes and were not stored; the next check cannot compare fields.`;

/** How a target's pages are compared: the lines of their text, fields of their data, or both. */
export interface Comparison {
  lines: boolean;
  fields: boolean;
}

/** Returns the comparison that `changeTracking` requests among the formats; lines without it. */
export function comparisonOf({ formats = [] }: Pick<ScrapeOptions, "formats">): Comparison {
  const request = formats.find((format): format is ChangeTrackingRequest => format.type === "changeTracking");
  const modes = request?.modes ?? [];
  const fields = modes.includes("json");
  return { fields, lines: !fields || modes.includes("git-diff") };
}

/**
 * The history of one page of a monitor, for the format `changeTracking`: it compares with the last check instead of
 * the team's other scrapes. What it saves is read from `saved`, and stored with the result of the check.
 */
export class MonitorHistory implements ChangeHistory {
  readonly #before: PageState | undefined;
  saved: PageSnapshot | undefined;

  constructor(before: PageState | undefined) {
    this.#before = before;
  }

  async find(): Promise<PageSnapshot | undefined> {
    if (this.#before === undefined) return undefined;
    const { text, extracted, source } = this.#before;
    return { scrapedAtMs: 0, markdown: text, source, ...(extracted === undefined ? {} : { extracted }) };
  }

  async save(_page: unknown, snapshot: PageSnapshot): Promise<void> {
    this.saved = snapshot;
  }

  async purge(): Promise<number> {
    return 0;
  }
}

/** Returns the state of a page that the next check compares with, and a warning about what was too long for it. */
export async function stateOf(
  page: PlannedPage,
  {
    document,
    saved,
    source,
  }: { document: ScrapeDocument; saved: PageSnapshot | undefined; source?: PageSource | undefined },
): Promise<{ state: PageState; warning?: string }> {
  const { targetId, url } = page;
  const text = document.markdown ?? "";
  const scrapeId = document.metadata.scrapeId ?? null;
  const textHash = await contentFingerprint(text);
  const extracted = saved?.extracted;
  const isTooLong = extracted !== undefined && utf8Length(JSON.stringify(extracted)) > MAX_EXTRACTED_BYTES;
  const state = { targetId, url, scrapeId, textHash, text: cutUtf8(text, MAX_TEXT_BYTES), source };
  if (isTooLong) return { state, warning: TOO_LONG };
  return { state: extracted === undefined ? state : { ...state, extracted } };
}

const NOT_COMPARED = "diff: it was left out, because the texts could not be compared in time.";

type Compared = Pick<MonitorPage, "status" | "diff" | "warning" | "snapshot">;

/** Compares a page with its previous state. */
export async function comparePage(
  comparison: Comparison,
  { before, state, document }: { before: PageState | undefined; state: PageState; document: ScrapeDocument },
  runTask: RunTextTask,
): Promise<Compared> {
  const compared = await compareStates({ before, state, text: document.markdown ?? "" }, runTask);
  if (!comparison.fields) return compared;
  const { extracted } = state;
  const snapshot = extracted === undefined ? {} : { snapshot: { json: extracted.value ?? null } };
  const fields = document.changeTracking?.json;
  if (compared.status === "same" && isRecord(fields) && Object.keys(fields).length > 0)
    return { status: "changed", diff: comparison.lines ? { text: "", json: fields } : { json: fields }, ...snapshot };
  if (compared.status !== "changed") return { ...compared, ...snapshot };
  if (!isRecord(fields)) return { ...(comparison.lines ? compared : { status: "changed", diff: null }), ...snapshot };
  if (!comparison.lines) {
    const hasChanges = Object.keys(fields).length > 0;
    return { status: hasChanges ? "changed" : "same", diff: hasChanges ? { json: fields } : null, ...snapshot };
  }
  const text = compared.diff?.text;
  return { ...compared, diff: { ...(text === undefined ? {} : { text }), json: fields }, ...snapshot };
}

async function compareStates(
  { before, state, text }: { before: PageState | undefined; state: PageState; text: string },
  runTask: RunTextTask,
): Promise<Compared> {
  if (before === undefined) return { status: "new", diff: null };
  if (before.textHash === state.textHash || isConvertedAnew(before.source, state.source))
    return { status: "same", diff: null };
  const compared = await runTask("diff", { previous: before.text, current: state.text }).catch((error: unknown) => {
    if (isAppError(error)) return undefined;
    throw error;
  });
  if (compared === undefined) return { status: "changed", diff: null, warning: NOT_COMPARED };
  const { diff, isCut } = compared;
  const hasLines = diff.json.files.some(({ chunks }) => chunks.length > 0);
  if (!hasLines) return { status: "changed", diff: null, warning: `diff: ${COMPARED}, and they are the same.` };
  const warnings = [
    ...(state.text.length < text.length ? [`diff: ${COMPARED}.`] : []),
    ...(isCut ? ["diff: its lines after the first 20,000 were left out."] : []),
  ];
  return { status: "changed", diff, ...(warnings.length === 0 ? {} : { warning: warnings.join(" ") }) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
