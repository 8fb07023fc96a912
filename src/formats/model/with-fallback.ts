import { isAppError, type AppError } from "../../core/errors.ts";
import type { LanguageModel } from "../../ports/language-model.ts";
import type { FormatContext } from "../format.ts";

/**
 * Asks the model when there is one and it answers; otherwise does what can be done without, and says so in the
 * document's warning.
 * @param byRules words for what is done without a model, such as `the schema was filled by rules`.
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

/** True for what is the model's own fault; any other error is a mistake of ours, and must be seen. */
function isModelFailure(error: unknown): error is AppError {
  return isAppError(error) && error.code.startsWith("MODEL_");
}
