import { CdpError, type CdpResult } from "../cdp-connection.ts";
import { pageFunctions } from "#page-scripts";
import type { DescribedValue } from "../../../page-scripts/page-functions.ts";
import { PageObjectId } from "../page/call-function.ts";
import { ScriptError, unwrap, type PageSession } from "../page/page-session.ts";

const MAX_RESULT_LENGTH = 5_000_000;

/**
 * Runs a caller's script in the page's main world. The value is that of its last expression, or of its `return`.
 * Promises are awaited; values that JSON cannot represent are described in a string.
 * @throws Error with the script's own error
 */
export async function executeScript(page: PageSession, script: string): Promise<{ type: string; value: unknown }> {
  const { result } = await evaluateInPage(page, script);
  const { type, json, tooLong } = await describe(page, result);
  if (tooLong !== undefined) throw new Error(`the script's result is too long (${tooLong} characters)`);
  return { type, value: json === null || json === undefined ? null : JSON.parse(json) };
}

/** Evaluates the script; one with `return` outside of a function is evaluated as a function body. */
async function evaluateInPage(page: PageSession, script: string): Promise<CdpResult<"Runtime.evaluate">> {
  const options = { awaitPromise: true, userGesture: true };
  try {
    return unwrap(await page.send("Runtime.evaluate", { expression: script, ...options }));
  } catch (error) {
    if (!(error instanceof ScriptError) || !/^SyntaxError: (Illegal return|await is only valid)/.test(error.message)) {
      throw error;
    }
  }
  return unwrap(await page.send("Runtime.evaluate", { expression: `(async () => {${script}\n})()`, ...options }));
}

async function describe(page: PageSession, result: CdpResult<"Runtime.evaluate">["result"]): Promise<DescribedValue> {
  if (result.objectId === undefined) return describePlain(result);
  try {
    return await page.callOn(new PageObjectId(result.objectId), pageFunctions.describeValue, MAX_RESULT_LENGTH);
  } catch (error) {
    // The script navigated the page: its objects are gone, which is not a failure of the script.
    if (error instanceof CdpError) return { type: "undefined", json: null };
    throw error;
  }
}

function describePlain({ type, value, unserializableValue }: CdpResult<"Runtime.evaluate">["result"]): DescribedValue {
  if (unserializableValue !== undefined) {
    return { type, json: JSON.stringify(unserializableValue.replace(/n$/, "")) };
  }
  const json = JSON.stringify(value) as string | undefined;
  if (json !== undefined && json.length > MAX_RESULT_LENGTH) return { type, tooLong: json.length };
  return { type: value === null ? "null" : type, json: json ?? null };
}
