import { expect, test } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { LanguageModel } from "../../../src/ports/language-model.ts";
import { ownedModel } from "../../../src/services/owned-model.ts";

const OWNER = { teamId: "team", keyId: "key" };
const REQUEST = { system: "", prompt: "Hello" };

/** A model whose calls end with the error. */
function failing(error: Error): LanguageModel {
  const fail = (): Promise<never> => Promise.reject(error);
  return {
    names: [],
    contextTokens: 1_000,
    generateText: fail,
    generateObject: fail,
    step: fail,
  } as unknown as LanguageModel;
}

test("a call that ends because its client has left is no unexpected error", async () => {
  const left = new AbortController();
  const aborted = new DOMException("The client has left", "AbortError");
  left.abort(aborted);
  const call = ownedModel(failing(aborted), OWNER, left.signal).generateText(REQUEST as never);
  await expect(call).rejects.toMatchObject({ code: "SCRAPE_TIMEOUT", cause: aborted });
});

test("other errors stay as they are", async () => {
  const [broken, left] = [new TypeError("broken"), new AbortController()];
  await expect(ownedModel(failing(broken), OWNER, left.signal).generateText(REQUEST as never)).rejects.toBe(broken);
  left.abort();
  const refused = new AppError("MODEL_TIMEOUT");
  await expect(ownedModel(failing(refused), OWNER, left.signal).generateText(REQUEST as never)).rejects.toBe(refused);
});
