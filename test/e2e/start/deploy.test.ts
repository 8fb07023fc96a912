import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const PROGRAM = `${import.meta.dirname}/../../../src/tools/deploy.ts`;
const run = promisify(execFile);
/** The size that the compressed bundle may reach, in KiB. What a library brings and never runs belongs in no bundle. */
const MAX_BUNDLE_KIB = 1_776;
/** Bundles the Worker and makes a database: on a busy machine a minute. */
const PATIENCE = { timeout: 240_000 };

test.each([{ words: ["--dry-run"] }, { words: ["--dry-run", "--free"] }])(
  "a deployment can be tried without an account: $words",
  PATIENCE,
  async ({ words }) => {
    const { stdout } = await run(process.execPath, [PROGRAM, ...words], { env: { ...process.env, API_KEY: "" } });
    for (const check of ["Settings", "Configuration", "Bundle", "Assets", "Migrations"]) {
      expect(stdout).toContain(`[deploy] ${check}: `);
    }
    expect(stdout).toContain("in order");
    expect(Number(/, ([\d.]+) KiB compressed/.exec(stdout)?.[1])).toBeLessThan(MAX_BUNDLE_KIB);
  },
);

test("a deployment with a bad setting ends before anything is done", PATIENCE, async () => {
  const env = { ...process.env, ADMIN_KEY: "password" };
  const failure = await run(process.execPath, [PROGRAM, "--dry-run"], { env }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 1, stderr: expect.stringContaining("ADMIN_KEY: must be fc-") });
});
