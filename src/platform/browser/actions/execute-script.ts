import { CdpError, type CdpResult } from "../cdp-connection.ts";
import { pageFunctions } from "#page-scripts";
import type { DescribedValue } from "../../../page-scripts/page-functions.ts";
import { PageObjectId } from "../page/call-function.ts";
import { unwrap, type PageSession } from "../page/page-session.ts";
import { holdValue } from "./hold-value.ts";
import type { OutputRoom } from "./output-room.ts";

const MAX_RESULT_LENGTH = 5_000_000;

/**
 * Runs a caller's script in the page's main world. The value is that of its last expression, or of its `return`; `await`
 * works at the top. Promises are awaited; values that JSON cannot represent are described in a string.
 * @throws Error with the script's own error, or when the value is too long or does not fit into `room`
 */
export async function executeScript(
  page: PageSession,
  script: string,
  room: OutputRoom,
): Promise<{ type: string; value: unknown }> {
  const options = { userGesture: true, replMode: true };
  const { result } = unwrap(await page.send("Runtime.evaluate", { expression: holdValue(script), ...options }));
  const { type, json, tooLong } = await describe(page, result);
  if (tooLong !== undefined) throw new Error(`the script's result is too long (${tooLong} characters)`);
  // The page's scripts may have changed what made the text.
  if (typeof json !== "string") return { type, value: null };
  room.takeJson(json);
  return { type, value: JSON.parse(json) };
}

async function describe(page: PageSession, result: CdpResult<"Runtime.evaluate">["result"]): Promise<DescribedValue> {
  // No statement had a value.
  if (result.objectId === undefined) return { type: "undefined", json: null };
  try {
    return await page.callOn(new PageObjectId(result.objectId), pageFunctions.describeValue, MAX_RESULT_LENGTH);
  } catch (error) {
    // The script navigated the page: its objects are gone, which is not a failure of the script.
    if (error instanceof CdpError) return { type: "undefined", json: null };
    throw error;
  }
}
