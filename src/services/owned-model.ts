import type { Owner } from "../core/fair-order.ts";
import type { LanguageModel } from "../ports/language-model.ts";

/** Returns the model for the work of an owner, whose calls take turns with those of other teams. */
export function ownedModel<Llm extends LanguageModel | undefined>(llm: Llm, owner: Owner): Llm | LanguageModel {
  if (llm === undefined) return llm;
  return {
    names: llm.names,
    contextTokens: llm.contextTokens,
    generateText: (request) => llm.generateText({ owner, ...request }),
    generateObject: (request) => llm.generateObject({ owner, ...request }),
    step: (request) => llm.step({ owner, ...request }),
  };
}
