import type { Owner } from "../core/fair-order.ts";
import type { LanguageModel } from "../ports/language-model.ts";

/**
 * Returns the model for the work of an owner, whose calls take turns with those of other teams.
 * @param left aborted when the client of the work has left: calls end, and those that wait are not made
 */
export function ownedModel<Llm extends LanguageModel | undefined>(
  llm: Llm,
  owner: Owner,
  left?: AbortSignal,
): Llm | LanguageModel {
  if (llm === undefined) return llm;
  const own = { owner, ...(left && { signal: left }) };
  return {
    names: llm.names,
    contextTokens: llm.contextTokens,
    generateText: (request) => llm.generateText({ ...own, ...request }),
    generateObject: (request) => llm.generateObject({ ...own, ...request }),
    step: (request) => llm.step({ ...own, ...request }),
  };
}
