import { describe, expect, test } from "vitest";
import type { ExecutionOutcome } from "../../../../src/core/sessions/execution.ts";
import { cutOutput, MAX_OUTPUT_CHARS } from "../../../../src/core/sessions/execution.ts";
import type { BrowserSessions } from "../../../../src/ports/sessions/browser-session.ts";
import { executionFields } from "../../../../src/http/sessions/execution-response.ts";
import { unknownFieldsWarning } from "../../../../src/http/sessions/unknown-fields.ts";
import { testApp } from "../../../fakes/services/test-app.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";
import { z } from "zod";

const OUTCOME: ExecutionOutcome = { stdout: "", stderr: "", result: undefined, exitCode: 0, killed: false };

describe("fields of a session's requests that do not exist", () => {
  test("are named in the warning, next to other warnings", () => {
    const schema = z.looseObject({ ttl: z.int() });
    expect(unknownFieldsWarning(schema, { ttl: 1, tll: 2, record: true }, ["code: x"])).toEqual({
      warning: "tll: it is unknown and has no effect. record: it is unknown and has no effect. code: x",
    });
    expect(unknownFieldsWarning(schema, { ttl: 1 })).toEqual({});
  });

  test("do not stop a session from being opened, but fields of a profile do", async () => {
    const { post } = testApp(testDeps({ browserSessions: {} as BrowserSessions }));
    const response = await post("/v2/browser", { profile: { name: "a", save: true } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: expect.stringContaining("save") });
  });
});

test("a session without retention is refused where the deployment does not allow it", async () => {
  const { post } = testApp(testDeps({ browserSessions: {} as BrowserSessions }));
  const response = await post("/v2/browser", { zeroDataRetention: true });
  expect(response.status).toBe(403);
  expect(await response.json()).toMatchObject({ error: expect.stringMatching(/zero data retention/i) });
});

describe("truncated", () => {
  const long = cutOutput("x".repeat(MAX_OUTPUT_CHARS + 1));
  test.each([{ stdout: long }, { stderr: long }, { result: long }])("is true for a cut stream or result", (part) => {
    expect(executionFields({ ...OUTCOME, ...part })).toMatchObject({ truncated: true });
  });
  test("is false for an output of exactly the limit", () => {
    const stdout = cutOutput("x".repeat(MAX_OUTPUT_CHARS));
    expect(executionFields({ ...OUTCOME, stdout })).toMatchObject({ truncated: false, stdout });
  });
});
