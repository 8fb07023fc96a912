import { isAppError, type AppError } from "../../core/errors.ts";
import type { LanguageModel } from "../../ports/language-model.ts";
import type { FormatContext } from "../format.ts";

/**
 * Uses the model if one is configured and it answers; otherwise uses rules, and adds a warning to the document.
 * @param byRules states what the rules did, such as `the schema was filled by rules`.
 */
export async function withFallback<Answer>(
  { llm, warn }: Pick<FormatContext, "llm" | "warn">,
  { format, byRules }: { format: string; byRules: string },
  ways: { model(llm: LanguageModel): Promise<Answer>; rules(): Answer | Promise<Answer> },
): Promise<Answer> {
  if (llm === undefined) {
    warn(`${format}: no language model is configured; ${byRules}.`);
    return await ways.rules();
  }
  try {
    return await ways.model(llm);
  } catch (error) {
    if (!isModelFailure(error)) throw error;
    warn(`${format}: ${error.message}; ${byRules}.`);
    return await ways.rules();
  }
}

/** True for a model's failure; any other error is a bug and must be visible. */
function isModelFailure(error: unknown): error is AppError {
  return isAppError(error) && error.code.startsWith("MODEL_");
}
