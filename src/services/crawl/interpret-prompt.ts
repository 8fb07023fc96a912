import { ownerOf } from "../../core/fair-order.ts";
import { toAbsoluteUrl } from "../../core/url/url.ts";
import type { PromptedOptions } from "../../jobs/crawl/crawl-prompt.ts";
import { readPromptOptions, type ReadPromptOptions } from "../../jobs/crawl/prompt-options.ts";
import type { Caller, Deps } from "../deps.ts";
import { ownedModel } from "../owned-model.ts";

/** Time limit of the model; callers wait for the response, so rules read the prompt after that. */
const MODEL_MS = 25_000;

/** Options that were read from a prompt. */
export interface InterpretedPrompt extends ReadPromptOptions {
  /** The same options as the crawl applies them. */
  applied: PromptedOptions;
}

/** Reads crawl options from a prompt: with a model where one is configured, otherwise by rules. */
export async function interpretPrompt(
  { llm, clock }: Pick<Deps, "llm" | "clock">,
  { key }: Caller,
  { url, prompt, options }: { url: string; prompt: string; options: { regexOnFullURL?: boolean | undefined } },
): Promise<InterpretedPrompt> {
  const deadlineMs = clock.now() + MODEL_MS;
  const read = await readPromptOptions(
    { llm: ownedModel(llm, ownerOf(key)), deadlineMs },
    { url: toAbsoluteUrl(url), prompt },
  );
  return { ...read, applied: options.regexOnFullURL === true ? onWholeUrls(read.options) : read.options };
}

/** Adapts patterns of a prompt, which match paths, when the caller's patterns match whole URLs. */
function onWholeUrls(options: PromptedOptions): PromptedOptions {
  const toUrl = (pattern: string): string => pattern.replace(/^\^\//, "^https?://[^/]+/");
  const { includePaths, excludePaths } = options;
  return {
    ...options,
    ...(includePaths === undefined ? {} : { includePaths: includePaths.map(toUrl) }),
    ...(excludePaths === undefined ? {} : { excludePaths: excludePaths.map(toUrl) }),
  };
}
