import { withFallback } from "../../formats/model/with-fallback.ts";
import type { JsonSchema } from "../../core/schema/json-schema.ts";
import type { LanguageModel } from "../../ports/language-model.ts";
import { readCrawlPrompt, type PromptedOptions, type ReadPrompt } from "./crawl-prompt.ts";
import { checkCrawlOptions } from "./check-crawl-options.ts";

/** A crawl that a prompt describes. */
export interface PromptOptions {
  url: string;
  prompt: string;
}

export interface ReadPromptOptions {
  options: PromptedOptions;
  /** Warning about the parts of the prompt that were not applied; undefined when all were. */
  warning: string | undefined;
}

const NOT_UNDERSTOOD =
  "The prompt was not understood: this service reads phrases such as “only the blog”, “skip the shop”, “2 levels deep”, “limit 50”.";
const PART_CHARS = 200;
const MAX_PARTS = 5;

const orNull = (type: string, description: string) => ({ type: [type, "null"], description });
const PATTERNS = { type: ["array", "null"], items: { type: "string" } };
const SCHEMA: JsonSchema = {
  type: "object",
  properties: {
    includePaths: { ...PATTERNS, description: "Only pages whose path matches one of these" },
    excludePaths: { ...PATTERNS, description: "No pages whose path matches one of these" },
    maxDiscoveryDepth: orNull("integer", "Links that are followed in a row, from the first page on"),
    limit: orNull("integer", "Pages at most"),
    crawlEntireDomain: orNull("boolean", "Also pages that do not lie below the path of the first one"),
    allowSubdomains: orNull("boolean", "Also pages of other hosts of the same domain"),
    allowExternalLinks: orNull("boolean", "Also pages of other sites that are linked to"),
    sitemap: {
      type: ["string", "null"],
      enum: ["skip", "include", "only", null],
      description: "Whether the site's sitemap is not read, read as well, or the only source of pages",
    },
    ignoreQueryParameters: orNull("boolean", "Addresses that differ in their query alone are one page"),
    deduplicateSimilarURLs: orNull(
      "boolean",
      "Addresses that differ in www, scheme or a slash at the end are one page",
    ),
    delay: orNull("number", "Seconds between two pages"),
    notUnderstood: {
      ...PATTERNS,
      description: "Parts of the wish that none of these options can express, copied word for word",
    },
  },
};
const SYSTEM = `You translate a request about crawling a web site into options of a crawler. Leave every option null that the request does not mention; never guess.
Paths are regular expressions (RE2) that are looked for in the path of an address, which begins with a slash: ^/blog(/|$) is the blog and everything below it. They name no host.
What a page is about cannot be expressed, unless its path says so.`;

/** Reads crawl options from a prompt: with a model where one is configured, otherwise by rules for common phrases. */
export async function readPromptOptions(
  { llm, deadlineMs }: { llm: LanguageModel | undefined; deadlineMs: number },
  requested: PromptOptions,
): Promise<ReadPromptOptions> {
  const warnings: string[] = [];
  const byRules = (): ReadPrompt => {
    const { options: found, notUnderstood: parts } = readCrawlPrompt(requested.prompt);
    const { options, problems } = checkCrawlOptions({ ...found }, { ...requested, by: "the rules" });
    warnings.push(...problems);
    return { options, notUnderstood: parts };
  };
  const read =
    llm === undefined
      ? byRules()
      : await withFallback(
          { llm, warn: (words) => void warnings.push(words) },
          { format: "prompt", byRules: "it was read by rules" },
          { model: (model) => askModel(model, { requested, deadlineMs, warnings }), rules: byRules },
        );
  const isEmpty = Object.keys(read.options).length === 0;
  if (read.notUnderstood.length > 0 && !isEmpty) warnings.push(notUnderstood(read.notUnderstood));
  if (isEmpty) warnings.push(NOT_UNDERSTOOD);
  return { options: read.options, warning: warnings.length === 0 ? undefined : warnings.join(" ") };
}

async function askModel(
  llm: LanguageModel,
  { requested, deadlineMs, warnings }: { requested: PromptOptions; deadlineMs: number; warnings: string[] },
): Promise<ReadPrompt> {
  const { value } = await llm.generateObject({
    size: "small",
    system: SYSTEM,
    messages: [{ role: "user", text: `First page: ${requested.url}\nWish: ${requested.prompt}` }],
    schema: SCHEMA,
    deadlineMs,
  });
  // The value was validated against the schema above.
  const { notUnderstood: parts, ...found } = value as Record<string, unknown> & { notUnderstood?: string[] | null };
  const { options, problems } = checkCrawlOptions(found, { ...requested, by: "the language model" });
  warnings.push(...problems);
  return { options, notUnderstood: parts ?? [] };
}

function notUnderstood(parts: readonly string[]): string {
  const shown = parts.slice(0, MAX_PARTS).map((part) => `“${part.slice(0, PART_CHARS)}”`);
  return `Not understood of the prompt: ${shown.join(", ")}.`;
}
