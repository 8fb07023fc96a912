import { AppError, isAppError } from "../core/errors.ts";
import type { Owner } from "../core/fair-order.ts";
import type { LanguageModel } from "../ports/language-model.ts";

/**
 * Returns the model for the work of an owner, whose calls take turns with those of other teams.
 * @param left aborted when the client of the work has left: calls end with `SCRAPE_TIMEOUT`, and those that wait are not made
 */
export function ownedModel<Llm extends LanguageModel | undefined>(
  llm: Llm,
  owner: Owner,
  left?: AbortSignal,
): Llm | LanguageModel {
  if (llm === undefined) return llm;
  const own = { owner, ...(left && { signal: left }) };
  const untilLeft = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    try {
      return await answer;
    } catch (error) {
      if (left?.aborted !== true || isAppError(error)) throw error;
      throw new AppError("SCRAPE_TIMEOUT", "The client has left", { cause: error });
    }
  };
  return {
    names: llm.names,
    contextTokens: llm.contextTokens,
    generateText: (request) => untilLeft(llm.generateText({ ...own, ...request })),
    generateObject: (request) => untilLeft(llm.generateObject({ ...own, ...request })),
    step: (request) => untilLeft(llm.step({ ...own, ...request })),
  };
}

/** Returns the model for a page that costs no credit, which refuses every call: formats are then made by rules. */
export function unpaidModel(llm: LanguageModel | undefined): LanguageModel | undefined {
  if (llm === undefined) return llm;
  const refuse = (): Promise<never> =>
    Promise.reject(new AppError("MODEL_REFUSED", "no model reads a page that costs no credit"));
  const { names, contextTokens } = llm;
  return { names, contextTokens, generateText: refuse, generateObject: refuse, step: refuse };
}
