import { join } from "node:path";
import { runPart } from "./run-part.ts";
import { PROJECT_ROOT } from "../service/wrangler.ts";

/** A check that fills gaps may stand still for minutes. */
const TIMEOUT_MS = 1_800_000;
const TSC = "typescript/bin/tsc";
/** Four are quicker where processors idle. Each works out most types for itself: together they take 58 s of processor time, one takes 35, or 27 with `LESS_COLLECTING`. */
const ONE_CHECKER = ["--checkers", "1"];
/**
 * For the type checker, a Go program: to collect garbage when what is left has grown to five times, not to twice. It takes
 * a quarter less processor time, and 1.8 GB for the project instead of 1.6.
 */
const LESS_COLLECTING = { GOGC: process.env["GOGC"] ?? "400" };
const WORDS = "../src/tools/testing/check-words.ts";

interface Check {
  name: string;
  script: string;
  words: string[];
  remedy?: string;
}

/**
 * Runs linter, formatter, type checker and the check of the glossary's words side by side, saying how each went as it ends.
 * @param options.keptIn a folder for what the type checker found out, so that the next time it looks only at what a
 * change concerns. Without one it looks at everything.
 * @param options.fillsGaps true to give the checks only the processor time that others leave.
 * @returns the names of those that failed.
 */
export async function staticChecks({
  keptIn,
  fillsGaps = false,
}: { keptIn?: string; fillsGaps?: boolean } = {}): Promise<string[]> {
  const typeWords = (name: string): string[] => [
    ...(keptIn === undefined ? ["--noEmit"] : keepTypes(join(keptIn, name))),
    ...(fillsGaps ? ONE_CHECKER : []),
  ];
  const checks: Check[] = [
    { name: "Types", script: TSC, words: typeWords("types") },
    { name: "Lint", script: "oxlint/bin/oxlint", words: ["--quiet"] },
    { name: "Format", script: "oxfmt/bin/oxfmt", words: ["--check"], remedy: " Run npm run format." },
    { name: "Words", script: WORDS, words: [] },
    { name: "Types of the dashboard", script: TSC, words: ["-p", "src/ui", ...typeWords("ui-types")] },
    {
      name: "Types of the page scripts",
      script: TSC,
      words: ["-p", "src/page-scripts", ...typeWords("page-script-types")],
    },
  ];
  const ends = await Promise.all(checks.map((check) => runCheck(check, fillsGaps)));
  return checks.flatMap(({ name }, index) => (ends[index] ? [] : [name]));
}

/**
 * The declarations are written for the sake of their hashes: by those the type checker knows that a change inside of a
 * module concerns no other one. Without them the first change of each module would concern all that import it.
 */
function keepTypes(folder: string): string[] {
  const record = ["--incremental", "--tsBuildInfoFile", join(folder, "found.tsbuildinfo")];
  return [
    ...record,
    "--noEmit",
    "false",
    "--declaration",
    "--emitDeclarationOnly",
    // Modules outside the folder of a configuration would have their declarations beside them.
    "--rootDir",
    PROJECT_ROOT,
    "--outDir",
    join(folder, "declarations"),
  ];
}

/** @returns true when it passed. */
async function runCheck({ name, script, words, remedy = "" }: Check, fillsGaps: boolean): Promise<boolean> {
  const { code, ms } = await runPart(script, words, {
    timeoutMs: TIMEOUT_MS,
    isCollected: true,
    fillsGaps,
    env: LESS_COLLECTING,
  });
  console.log(`${name}: ${code === 0 ? "passed" : `failed.${remedy}`} (${(ms / 1000).toFixed(1)} s)`);
  return code === 0;
}
