import { readFileSync } from "node:fs";
import { stop } from "esbuild";
import { expect, test } from "vitest";
import { toAscii } from "../../../../src/tools/build/ascii-source.ts";
import { withEsbuild } from "../../../../src/tools/build/with-esbuild.ts";
import { ProcessFamily } from "../../../../src/tools/process/process-family.ts";

/** Processes of esbuild that this program has started, but those of `earlier`: other test files may have used one. */
function esbuildProcesses(earlier: number[] = []): number[] {
  const isEsbuild = (pid: number): boolean => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--service=");
    } catch {
      return false;
    }
  };
  return new ProcessFamily(process.pid).alive().filter((pid) => isEsbuild(pid) && !earlier.includes(pid));
}

test.runIf(process.platform === "linux")("esbuild's process ends with its last use", async () => {
  // Other test files of this process may have left theirs running, which would be used here.
  await stop();
  const earlier = esbuildProcesses();
  const ours = (): number[] => esbuildProcesses(earlier);
  const first = toAscii("export const one = 'é';");
  await withEsbuild(async ({ transform }) => {
    expect(await first).toContain("\\xE9");
    expect(ours()).toHaveLength(1);
    expect((await transform("export const two: number = 2;", { loader: "ts" })).code).toContain("two = 2");
  });
  await expect.poll(ours).toEqual([]);
  // It starts again when it is needed.
  expect(await toAscii("export const three = 'ü';")).toContain("\\xFC");
  await expect.poll(ours).toEqual([]);
});
