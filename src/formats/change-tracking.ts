import { z } from "zod";
import type { PageView } from "../content/page-view.ts";
import { contentFingerprint } from "../content/text/content-fingerprint.ts";
import type { ComparedTexts } from "../content/text/text-changes.ts";
import { isConvertedAnew, pageSourceOf, type PageSource } from "../core/scrape/page-source.ts";
import type { TextDiff } from "../core/scrape/change-tracking.ts";
import type { ChangeTracking } from "../core/scrape/change-tracking.ts";
import { isAppError } from "../core/errors.ts";
import { sha256Hex } from "../core/text/hash.ts";
import type { JsonSchema } from "../core/schema/json-schema.ts";
import type { PageSnapshot } from "../ports/storage/change-history.ts";
import { defineFormat, type FormatContext, type PageHistory } from "./format.ts";
import { JsonSchemaOption } from "./json-schema-option.ts";
import { nullAsAbsent } from "./null-as-absent.ts";
import { changedFields } from "./model/changed-fields.ts";
import { deriveJson, partsOfJson } from "./model/derive-json.ts";
import { describeChanges } from "./model/describe-changes.ts";

export interface ChangeTrackingRequest {
  type: "changeTracking";
  prompt?: string | undefined;
  schema?: JsonSchema | undefined;
  modes?: ("json" | "git-diff")[] | undefined;
  tag?: string | null | undefined;
}

/** Fields of change tracking that both API versions have. */
export const ChangeTrackingFields = {
  prompt: nullAsAbsent(z.string().max(10_000)).describe(
    "Instructions for the language model in mode `json`, at most 10,000 characters.",
  ),
  schema: nullAsAbsent(JsonSchemaOption).describe(
    "JSON Schema whose fields mode `json` compares. Without it the language model describes the changes.",
  ),
  modes: z
    .array(z.enum(["json", "git-diff"]))
    .optional()
    .describe("How changes are reported: `git-diff` adds `diff`, `json` adds `json`. Default: the status only."),
  tag: z
    .string()
    .max(1_000)
    .nullable()
    .optional()
    .describe("Name of a separate history: only scrapes with the same tag are compared. Default: null."),
};

const Request: z.ZodType<ChangeTrackingRequest, unknown> = z.strictObject({
  type: z
    .literal("changeTracking")
    .describe("Compares the page with the previous scrape of the team, in `changeTracking`. It requires markdown too."),
  ...ChangeTrackingFields,
});

const MODEL_CREDITS = 4;
const REMOVED_STATUSES = [404, 410];

/** Compares the page with the team's previous scrape under the same tag (api-contract.md, “Change tracking”). */
export const changeTracking = defineFormat({
  type: "changeTracking",
  request: Request,
  needs: [],
  credits: 0,
  reads: (request) => (hasMode(request, "json") && request.schema !== undefined ? partsOfJson(request) : []),
  creditsFor: (request) => (hasMode(request, "json") ? MODEL_CREDITS : 0),
  async derive(page, request, context) {
    const { history, warn } = context;
    for (const name of withoutMode(request)) warn(`changeTracking.${name}: it has no effect without the mode json.`);
    if (typeof history === "string") {
      warn(`changeTracking: it was left out, because ${history}.`);
      return {};
    }
    try {
      return { changeTracking: await track(page, request, { ...context, history: withKnownFailures(history) }) };
    } catch (error) {
      // A storage failure costs the comparison, not the page.
      if (!(error instanceof HistoryFailure)) throw error;
      warn(HISTORY_FAILED);
      return {};
    }
  },
});

/** Returns the options of mode `json` that were sent without it. */
function withoutMode(request: ChangeTrackingRequest): string[] {
  if (hasMode(request, "json")) return [];
  const { schema, prompt = "" } = request;
  return [...(schema === undefined ? [] : ["schema"]), ...(prompt.trim() === "" ? [] : ["prompt"])];
}

export const HISTORY_FAILED =
  "changeTracking: it was left out, because the page's history could not be read or written.";

class HistoryFailure extends Error {}

function withKnownFailures(history: PageHistory): PageHistory {
  const fail = (cause: unknown): never => {
    throw new HistoryFailure("The page's history failed", { cause });
  };
  return {
    nowMs: history.nowMs,
    find: (tag) => history.find(tag).catch(fail),
    save: (tag, snapshot) => history.save(tag, snapshot).catch(fail),
  };
}

const CUT = "changeTracking: the diff is long; its lines after the first 20,000 were left out.";

const NOT_COMPARED = "changeTracking: the diff was left out, because the texts could not be compared in time.";

/** Maximum length of a text that is compared line by line; whether a longer one has changed is told without its lines. */
const MAX_COMPARED_CHARS = 10_000_000;
const TOO_LONG =
  "changeTracking: the diff was left out, because texts of more than 10,000,000 characters are not compared line by line.";

interface Comparison {
  previous: PageSnapshot | undefined;
  markdown: string;
  source: PageSource;
  context: FormatContext;
}

type TrackingContext = Omit<FormatContext, "history"> & { history: PageHistory };

async function track(
  page: PageView,
  request: ChangeTrackingRequest,
  context: TrackingContext,
): Promise<ChangeTracking> {
  const { history } = context;
  const tag = request.tag ?? null;
  const previous = await history.find(tag);
  const previousScrapeAt = previous === undefined ? null : new Date(previous.scrapedAtMs).toISOString();
  const seen = { previousScrapeAt, visibility: "visible" as const };
  // The stored snapshot is retained: when the page returns it is compared with that.
  if (REMOVED_STATUSES.includes(page.loaded.statusCode)) return { ...seen, changeStatus: "removed" };

  const markdown = page.markdown({ removeBase64Images: context.removeBase64Images });
  const source = await pageSourceOf(page.loaded);
  const compared = await compare(page, request, { previous, markdown, source, context });
  const textStatus = statusOf(compared);
  const extracted = await extract(page, request, { previous, textStatus, source, context });
  const changeStatus = haveFieldsChanged(previous?.extracted, extracted) ? "changed" : textStatus;
  await history.save(tag, {
    scrapedAtMs: history.nowMs,
    markdown,
    source,
    ...(extracted === undefined ? {} : { extracted }),
  });
  if (previous === undefined || changeStatus !== "changed") return { ...seen, changeStatus };

  if (compared?.isCut === true && hasMode(request, "git-diff")) context.warn(CUT);
  const diff = compared?.diff;
  const json = await changesOf(request, { previous, extracted, page, diff, context });
  return {
    ...seen,
    changeStatus,
    ...(hasMode(request, "git-diff") && diff !== undefined ? { diff } : {}),
    ...(json === undefined ? {} : { json }),
  };
}

/**
 * Compares the page with its last state; undefined when there is none. The lines only where the response has them. A page that
 * another version of the service has converted otherwise is the same.
 */
async function compare(
  { budget }: PageView,
  request: ChangeTrackingRequest,
  { previous, markdown, source, context }: Comparison,
): Promise<ComparedTexts | undefined> {
  if (previous === undefined) return undefined;
  if (isConvertedAnew(previous.source, source)) return { isSame: true, diff: undefined, isCut: false };
  const isDescribed = hasMode(request, "json") && request.schema === undefined;
  const withDiff = hasMode(request, "git-diff") || isDescribed;
  const texts = { previous: previous.markdown, current: markdown };
  const isTooLong = Math.max(texts.previous.length, texts.current.length) > MAX_COMPARED_CHARS;
  if (!withDiff || isTooLong) {
    const isSame = await isSameText(texts);
    if (withDiff && !isSame) context.warn(TOO_LONG);
    return { isSame, diff: undefined, isCut: false };
  }
  return await context.task("compare", { ...texts, withDiff }, budget).catch((error: unknown) => {
    if (!isAppError(error)) throw error;
    context.warn(NOT_COMPARED);
    return { isSame: texts.previous === texts.current, diff: undefined, isCut: false };
  });
}

/** As the text task `compare` tells it. Counting here, in turns, takes less than sending both texts to another process. */
async function isSameText({ previous, current }: { previous: string; current: string }): Promise<boolean> {
  return previous === current || (await contentFingerprint(previous)) === (await contentFingerprint(current));
}

function statusOf(compared: ComparedTexts | undefined): "new" | "same" | "changed" {
  if (compared === undefined) return "new";
  return compared.isSame ? "same" : "changed";
}

/** Reports whether data that were extracted by the same options differ: those in JSON-LD may, under the same text. */
function haveFieldsChanged(previous: PageSnapshot["extracted"], current: PageSnapshot["extracted"]): boolean {
  if (previous === undefined || previous.optionsHash !== current?.optionsHash) return false;
  return Object.keys(changedFields(previous.value, current.value)).length > 0;
}

interface Extraction {
  previous: PageSnapshot | undefined;
  textStatus: ChangeTracking["changeStatus"];
  source: PageSource;
  context: FormatContext;
}

/**
 * Extracts the schema's data from the current page. A page with the same text, and the same structured data for the
 * schema's fields, reuses the stored data without a model call.
 */
async function extract(
  page: PageView,
  request: ChangeTrackingRequest,
  { previous, textStatus, source, context }: Extraction,
): Promise<PageSnapshot["extracted"]> {
  const { schema, prompt } = request;
  if (!hasMode(request, "json") || schema === undefined) return undefined;
  const optionsHash = await sha256Hex(JSON.stringify([schema, prompt ?? ""]));
  const earlier = previous?.extracted;
  const sourceHash = await sha256Hex(JSON.stringify(page.fill(schema).value ?? null));
  const isOfSameData = (earlier?.sourceHash ?? sourceHash) === sourceHash || isConvertedAnew(previous?.source, source);
  const isSame = earlier?.optionsHash === optionsHash && isOfSameData;
  if (textStatus === "same" && isSame) return { ...earlier, sourceHash };
  const requested = { schema, prompt, usesModel: true, withEvidence: false, format: "changeTracking" };
  return { optionsHash, sourceHash, value: (await deriveJson(page, requested, context)).value };
}

interface Changes {
  previous: PageSnapshot;
  extracted: PageSnapshot["extracted"];
  page: PageView;
  diff: TextDiff | undefined;
  context: FormatContext;
}

async function changesOf(
  request: ChangeTrackingRequest,
  { previous, extracted, page, diff, context }: Changes,
): Promise<unknown> {
  if (!hasMode(request, "json")) return undefined;
  if (extracted === undefined) {
    return describeChanges({ url: page.loaded.url, diff: diff?.text ?? "", prompt: request.prompt }, context);
  }
  if (previous.extracted?.optionsHash !== extracted.optionsHash) {
    context.warn(
      "changeTracking: the earlier scrape did not read the page by this schema and prompt, so its fields cannot be compared; the next one can.",
    );
    return undefined;
  }
  return changedFields(previous.extracted.value, extracted.value);
}

function hasMode({ modes = [] }: ChangeTrackingRequest, mode: "json" | "git-diff"): boolean {
  return modes.includes(mode);
}
