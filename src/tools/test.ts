import { buildAssets } from "./build/build-assets.ts";
import { describeUiBuild } from "./build/build-ui.ts";
import { explainFailure } from "./process/explain-failure.ts";
import { endPartsWithStarter } from "./testing/run-part.ts";
import { seedBrowser } from "./browser/seed-browser.ts";
import { staticChecks } from "./testing/static-checks.ts";
import { vitestProject } from "./testing/vitest-project.ts";
import type { TestCounts } from "./testing/vitest-project.ts";

/** All parts together, on a machine that is slow. A part that hangs is stopped, so that the last line is always written. */
const BUDGET_MS = 60 * 60_000;
const UNIT: Part = { name: "Unit tests", project: "unit" };
const WORKER: Part = { name: "Worker tests", project: "worker" };
/**
 * Folders of end-to-end tests that run after the worker tests, beside the others: the worker tests take half as long as
 * all end-to-end tests.
 */
const AFTER_WORKER = ["test/e2e/ui/", "test/e2e/clients/"];
const END_TO_END: Part = { name: "End-to-end tests", project: "e2e" };
const [FIRST_END_TO_END, LAST_END_TO_END]: [Part, Part] = [
  { ...END_TO_END, words: AFTER_WORKER.map((folder) => `--exclude=${folder}**`) },
  { ...END_TO_END, name: "End-to-end tests of clients and dashboard", words: AFTER_WORKER, env: { E2E_LANES: "1" } },
];

interface Part {
  name: string;
  /** Of the vitest configuration. */
  project: string;
  /** Further words of vitest's command line. */
  words?: readonly string[];
  /** Variables besides those of this program. */
  env?: Record<string, string>;
}

/** Everything, from lint to real browsers. The last line is for machines: what passed and what failed. */
async function testAll(): Promise<void> {
  const deadline = performance.now() + BUDGET_MS;
  const browser = await seedBrowser({ log: console.log });
  console.log(browser.kind === "installed" ? `Browser: ${browser.path}` : "Browser: downloaded when a test needs it");
  console.log(describeUiBuild(await buildAssets()));
  console.log("\n== Checks");
  const failedChecks = await staticChecks();
  const unit = await testPart(UNIT, { deadline, isShown: true });
  // Both mostly wait for browsers and for time to pass.
  const others = await Promise.all(
    process.env["E2E_LANES"] === undefined
      ? [testParts([WORKER, LAST_END_TO_END], { deadline }), testParts([FIRST_END_TO_END], { deadline, isShown: true })]
      : [testParts([WORKER], { deadline }), testParts([END_TO_END], { deadline, isShown: true })],
  );
  const parts = [unit, ...others.flat()];
  const sum = (kind: keyof TestCounts): number => parts.reduce((total, counts) => total + counts[kind], 0);
  const failed = sum("failed") + failedChecks.length;
  const skipped = sum("skipped") > 0 ? `, ${sum("skipped")} skipped` : "";
  console.log("");
  for (const { line } of parts) console.log(line);
  console.log(`\n${sum("passed")} passed, ${failed} failed${skipped}`);
  process.exitCode = failed === 0 ? 0 : 1;
}

interface RunOptions {
  deadline: number;
  /** False to hold back the output until the part has ended, as another part is shown meanwhile. */
  isShown?: boolean;
}

type PartResult = TestCounts & { line: string };

/** Runs parts one after another. */
async function testParts(parts: readonly Part[], options: RunOptions): Promise<PartResult[]> {
  const results: PartResult[] = [];
  for (const part of parts) results.push(await testPart(part, options));
  return results;
}

async function testPart(
  { name, project, words = [], env = {} }: Part,
  { deadline, isShown = false }: RunOptions,
): Promise<PartResult> {
  console.log(`\n== ${name}`);
  const timeoutMs = Math.max(1000, deadline - performance.now());
  const run = { timeoutMs, isCollected: !isShown, words, env };
  const { ms, isStopped, ...counts } = await vitestProject(project, run);
  const end = isStopped ? ", stopped: the time for all tests is used up" : "";
  const { passed, failed, skipped } = counts;
  const line = `${name}: ${passed} passed, ${failed} failed, ${skipped} skipped (${(ms / 1000).toFixed(1)} s)${end}`;
  console.log(line);
  return { ...counts, line };
}

endPartsWithStarter();
try {
  await testAll();
} catch (error) {
  console.error(explainFailure(error));
  console.log("\n0 passed, 1 failed");
  process.exitCode = 1;
}
