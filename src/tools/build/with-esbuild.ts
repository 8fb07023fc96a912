import type * as Esbuild from "esbuild";

let users = 0;

/**
 * Runs `work` with esbuild, which is loaded only then, and ends esbuild's process when nothing uses it any more. Without
 * that, esbuild holds some 200 MB for as long as the program runs.
 */
export async function withEsbuild<Result>(work: (esbuild: typeof Esbuild) => Promise<Result>): Promise<Result> {
  const esbuild = await import("esbuild");
  users++;
  try {
    return await work(esbuild);
  } finally {
    if (--users === 0) await esbuild.stop();
  }
}
