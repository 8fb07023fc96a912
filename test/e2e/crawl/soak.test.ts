import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

/**
 * The short form of `npm run soak`, which `SOAK_MINUTES` makes longer: in a program of its own, whose processes are the only
 * ones that it kills. It pauses longer between two rounds than the long form, which takes all of the processor: kills meet
 * crawls, batches and sessions under way all the same.
 */
test("a mixed load with kills loses and doubles nothing, holds no slot, and leaves no process", { timeout: 400_000, retry: 0 }, async () => {
  const program = join(import.meta.dirname, "../../bench/soak/index.ts");
  const minutes = process.env["SOAK_MINUTES"];
  const words = [program, "--minutes", minutes ?? "0.25", "--kill-every", minutes === undefined ? "4" : "6", "--exact"];
  if (minutes === undefined) words.push("--pause", "3");
  const { code, output } = await new Promise<{ code: number | null; output: string }>((resolve) => {
    const child = execFile(process.execPath, words, { maxBuffer: 50_000_000 }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, output: stdout + stderr }),
    );
  });
  expect(code, output).toBe(0);
  expect(output).toMatch(/Kills: .*[1-9]/);
}); // prettier-ignore
