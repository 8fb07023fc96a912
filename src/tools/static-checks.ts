import { runPart } from "./run-part.ts";

const TIMEOUT_MS = 120_000;

/** Looked at by name in the order of how soon they tell something. */
const CHECKS = [
  { name: "Lint", script: "oxlint/bin/oxlint", words: ["--quiet"], remedy: "" },
  { name: "Format", script: "oxfmt/bin/oxfmt", words: ["--check"], remedy: " Run npm run format." },
  { name: "Types", script: "typescript/bin/tsc", words: ["--noEmit"], remedy: "" },
  { name: "Types of the dashboard", script: "typescript/bin/tsc", words: ["--noEmit", "-p", "src/ui"], remedy: "" },
];

/** Runs linter, formatter and type checker, saying how each went. @returns the names of those that failed. */
export async function staticChecks(): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, script, words, remedy } of CHECKS) {
    const { code, ms } = await runPart(script, words, { timeoutMs: TIMEOUT_MS });
    if (code !== 0) failed.push(name);
    console.log(`${name}: ${code === 0 ? "passed" : `failed.${remedy}`} (${(ms / 1000).toFixed(1)} s)`);
  }
  return failed;
}
