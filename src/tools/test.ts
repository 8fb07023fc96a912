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
/**
 * The unit tests compute on all cores, and run alone. The others mostly wait for browsers, sites and time to pass, and run
 * side by side. The worker tests, which run in one lane, go first, so that the end-to-end tests do not make them the last
 * to end.
 */
const PHASES: readonly (readonly Part[])[] = [
  [{ name: "Unit tests", project: "unit", niceness: 0, isShown: true }],
  [
    { name: "Worker tests", project: "worker", niceness: 0 },
    { name: "End-to-end tests", project: "e2e", niceness: 3, isShown: true },
  ],
];

interface Part {
  name: string;
  /** Of the vitest configuration. */
  project: string;
  /** Added to the niceness of this program: 3 leaves half of the processor's time of an equal process to it. */
  niceness: number;
  /** True to show the output as it comes; that of the others is shown when they have ended. */
  isShown?: boolean;
}

/** Everything, from lint to real browsers. The last line is for machines: what passed and what failed. */
async function testAll(): Promise<void> {
  const deadline = performance.now() + BUDGET_MS;
  const browser = await seedBrowser({ log: console.log });
  console.log(browser.kind === "installed" ? `Browser: ${browser.path}` : "Browser: downloaded when a test needs it");
  console.log("\n== Build and checks");
  const building = buildAssets().then((ui) => console.log(describeUiBuild(ui)));
  const [failedChecks] = await Promise.all([staticChecks(), building]);
  const parts: PartResult[] = [];
  for (const phase of PHASES) parts.push(...(await Promise.all(phase.map((part) => testPart(part, deadline)))));
  const sum = (kind: keyof TestCounts): number => parts.reduce((total, counts) => total + counts[kind], 0);
  const failed = sum("failed") + failedChecks.length;
  const skipped = sum("skipped") > 0 ? `, ${sum("skipped")} skipped` : "";
  console.log("");
  for (const { line } of parts) console.log(line);
  console.log(`\n${sum("passed")} passed, ${failed} failed${skipped}`);
  process.exitCode = failed === 0 ? 0 : 1;
}

type PartResult = TestCounts & { line: string };

async function testPart({ name, project, niceness, isShown = false }: Part, deadline: number): Promise<PartResult> {
  console.log(`\n== ${name}`);
  const timeoutMs = Math.max(1000, deadline - performance.now());
  const run = { timeoutMs, isCollected: !isShown, niceness };
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
