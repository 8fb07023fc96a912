import { expect, test } from "vitest";
import type { BrowserSessions, Execution } from "../../../../src/ports/sessions/browser-session.ts";
import type { Caller } from "../../../../src/services/deps.ts";
import { runInBrowser } from "../../../../src/services/sessions/run-in-browser.ts";

const ID = "01234567-89ab-7def-8123-456789abcdef";

/** Runs code in a session that answers so. The casts are of what a run uses. */
async function run(execution: Execution) {
  const browserSessions = { execute: async () => execution } as unknown as BrowserSessions;
  const caller = { key: { teamId: "t" } } as Caller;
  return await runInBrowser({ browserSessions }, caller, { id: ID, language: "bash", code: "1", timeoutMs: 1_000 });
}

test.each([
  { kind: "busy", error: { code: "RATE_LIMITED", retryAfterSeconds: 1 } },
  { kind: "ended", error: { code: "BROWSER_SESSION_ENDED" } },
  { kind: "unknown", error: { code: "BROWSER_SESSION_NOT_FOUND" } },
  { kind: "foreign", error: { code: "BROWSER_SESSION_NOT_FOUND" } },
] as const)("a session that answers $kind refuses with $error.code", async ({ kind, error }) => {
  await expect(run({ kind })).rejects.toMatchObject(error);
});
