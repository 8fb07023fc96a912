import type { Claim } from "../../content/structured-data/evidence/provenance.ts";
import type { QuotedSource } from "../../content/text-tasks/text-tasks.ts";
import { isEmpty } from "../../content/structured-data/schema/merge-values.ts";
import type { PagePart } from "../../content/page-parts.ts";
import type { PageView } from "../../content/page-view.ts";
import { requestedFields } from "../../content/structured-data/schema/requested-fields.ts";
import type { Evidence } from "../../core/scrape/evidence.ts";
import type { JsonSchema } from "../../core/schema/json-schema.ts";
import type { FormatContext } from "../format.ts";
import { extractObject } from "./extract-object.ts";
import { pageTextOf } from "./page-text.ts";
import { withFallback } from "./with-fallback.ts";

/** Options of data extraction from a page. */
export interface JsonOptions {
  schema?: JsonSchema | undefined;
  prompt?: string | undefined;
  systemPrompt?: string | undefined;
  temperature?: number | undefined;
  /** True when a model may be used. */
  usesModel: boolean;
  /** True to look up the source of each value, which takes as much time as the page is long. */
  withEvidence: boolean;
  /** Name of the format, for warnings. */
  format: string;
}

export interface DerivedJson {
  /** Null when nothing was found. */
  value: unknown;
  /** Empty unless it was requested. */
  evidence: Evidence[];
}

const BY_RULES = "the fields were filled from the page's structured data, tables and labelled text by rules";

/** Extracts data from a page, with a model if one is configured. */
export async function deriveJson(page: PageView, requested: JsonOptions, context: FormatContext): Promise<DerivedJson> {
  const schema = hasFields(requested.schema) ? requested.schema : undefined;
  const byRules = rules(page, schemaOf(requested));
  const { value, claims } = requested.usesModel
    ? await withFallback(
        context,
        { format: requested.format, byRules: BY_RULES },
        {
          rules: () => byRules,
          model: async (llm) => {
            const candidates = schema === undefined || byRules.value === undefined ? undefined : byRules.value;
            const { deadlineMs } = context;
            const answer = await extractObject(llm, pageTextOf(page, context), {
              ...requested,
              schema,
              candidates,
              deadlineMs,
            });
            if (answer.isCut)
              context.warn(`${requested.format}: the page is longer than what the language model was given of it.`);
            return { value: answer.value, claims: [...answer.claims, ...agreeing(byRules, answer.value)] };
          },
        },
      )
    : byRules;
  if (isEmpty(value)) {
    context.warn(`${requested.format}: nothing of what was asked for was found on the page.`);
    return { value: null, evidence: [] };
  }
  if (!requested.withEvidence) return { value, evidence: [] };
  return { value, evidence: await evidenceOf(page, { value, claims }, context) };
}

/** Returns the parts of a page that data extraction reads. */
export function partsOfJson(requested: Pick<JsonOptions, "schema" | "prompt">): PagePart[] {
  return [{ name: "fill", schema: schemaOf(requested) }];
}

/** Returns the requested schema, or one of the fields that the prompt names. */
function schemaOf({ schema, prompt = "" }: Pick<JsonOptions, "schema" | "prompt">): JsonSchema {
  return hasFields(schema) ? schema : requestedFields(prompt);
}

/** Returns the rules' claims without those for booleans that the model contradicts, which quotes cannot decide. */
function agreeing({ value, claims }: { value: unknown; claims: Claim[] }, given: unknown): Claim[] {
  return claims.filter(({ path }) => {
    const [read, taken] = [valueAt(value, path), valueAt(given, path)];
    return typeof read !== "boolean" || typeof taken !== "boolean" || read === taken;
  });
}

function valueAt(value: unknown, path: Claim["path"]): unknown {
  return path.reduce<unknown>((inner, step) => (Object(inner) as Record<string | number, unknown>)[step], value);
}

function rules(page: PageView, schema: JsonSchema): { value: unknown; claims: Claim[] } {
  const { value, findings } = page.fill(schema);
  return { value, claims: findings.map(({ path, quote, source }) => ({ path, quote, from: source })) };
}

function hasFields(schema: JsonSchema | undefined): schema is JsonSchema {
  return schema !== undefined && Object.keys(schema).length > 0;
}

/** Returns the page's source, which also contains hidden values; empty for documents that are not text. */
export async function sourceOf(page: PageView): Promise<string> {
  return page.kind === "html" ? await page.rawText() : "";
}

/** Returns the source of each value on the page. */
export async function evidenceOf(
  page: PageView,
  { value, claims }: { value: unknown; claims: readonly Claim[] },
  context: Pick<FormatContext, "removeBase64Images" | "task">,
): Promise<Evidence[]> {
  return await context.task("evidence", { value, claims, pages: [await quotedSource(page, context)] }, page.budget);
}

/** Returns the texts in which quotes of a page are looked up. */
async function quotedSource(
  page: PageView,
  { removeBase64Images }: Pick<FormatContext, "removeBase64Images">,
): Promise<QuotedSource> {
  return { url: page.loaded.url, markdown: page.markdown({ removeBase64Images }), source: await sourceOf(page) };
}
