import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { collectSettings, writeEnvFile } from "../../../../src/tools/setup/settings.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "settings-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const devVars = () => join(folder, ".dev.vars");

test("the environment wins over .dev.vars, and what is no setting stays out", async () => {
  writeFileSync(devVars(), "# ours\nUSER_AGENT='from the file'\nMAX_CONCURRENCY=7\nOTHER=1\n");
  const env = { USER_AGENT: "from the environment", PATH: "/bin", RATE_LIMIT_PER_MINUTE: "" };
  expect(await collectSettings({ env, devVarsPath: devVars() })).toEqual({
    USER_AGENT: "from the environment",
    MAX_CONCURRENCY: "7",
  });
});

test("without .dev.vars the environment is all there is", async () => {
  expect(await collectSettings({ env: { MAX_CONCURRENCY: "3" }, devVarsPath: devVars() })).toEqual({
    MAX_CONCURRENCY: "3",
  });
});

test("a value that cannot be used is named before anything starts", async () => {
  const env = { API_KEY: "secret" };
  await expect(collectSettings({ env, devVarsPath: devVars() })).rejects.toThrow(/API_KEY: must be fc-/);
});

test.each([
  { secret: "whsec_abcdefghi", problem: /WEBHOOK_SECRET: must be whsec_ and whole base64/ },
  { secret: "whsec_MDEyMzQ1Njc4OWFiY2RlZg==", problem: undefined },
  { secret: "hush", problem: undefined },
])("the webhook secret $secret has a key or is named before anything starts", async ({ secret, problem }) => {
  const collected = collectSettings({ env: { WEBHOOK_SECRET: secret }, devVarsPath: devVars() });
  if (problem === undefined) expect(await collected).toMatchObject({ WEBHOOK_SECRET: secret });
  else await expect(collected).rejects.toThrow(problem);
});

test.each([
  { value: "plain", line: "X='plain'" },
  { value: "costs $5 and ${HOME}", line: "X='costs \\$5 and \\${HOME}'" },
  { value: `it's "quoted"`, line: 'X=`it\'s "quoted"`' },
  { value: "a # b", line: "X='a # b'" },
])("writes $value so that wrangler reads it back", async ({ value, line }) => {
  const path = join(folder, "settings.env");
  await writeEnvFile(path, { X: value });
  expect(readFileSync(path, "utf8")).toBe(`${line}\n`);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("a value that no quotation mark can hold is refused", async () => {
  await expect(writeEnvFile(join(folder, "x.env"), { X: "'\"`" })).rejects.toThrow("X holds all three kinds");
});
