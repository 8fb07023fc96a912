import { buildAssets } from "./build/build-assets.ts";
import { describeUiBuild } from "./build/build-ui.ts";
import { explainFailure } from "./process/explain-failure.ts";
import { endParts, endPartsWithStarter } from "./testing/run-part.ts";
import { seedBrowser } from "./browser/seed-browser.ts";
import { staticChecks } from "./testing/static-checks.ts";
import { readTestOptions, TEST_USAGE } from "./testing/test-options.ts";
import { countAgain, failedToStart, vitestProject } from "./testing/vitest-project.ts";
import type { TestCounts, TestSelection } from "./testing/vitest-project.ts";

/** All parts together, on a machine that is slow. A part that hangs is stopped, so that the last line is always written. */
const BUDGET_MS = 75 * 60_000;
/** Files that may be run again by themselves. When more of them fail, it is not for the load of the other tests. */
const MAX_AGAIN = 8;
const ONE_LANE = { E2E_LANES: "1" };
/** Unit tests that only compute, most of their processor time: none of them waits for a process or for time to pass. */
const COMPUTING = ["test/unit/content/", "test/unit/storage/frontier-schedules.test.ts"];
/** With the static checks, they fill the gaps of the others, which leave a core idle for a third of the time. */
const FILLER: Part = { name: "Unit tests that compute", project: "unit", only: COMPUTING, fillsGaps: true };
/**
 * They wait, for browsers, sites and time to pass: all begin at once. The end-to-end tests take longest, so they come before the
 * worker tests, and these before the unit tests, where the processor is busy.
 */
const WAITING: readonly Part[] = [
  { name: "End-to-end tests", project: "e2e", isShown: true },
  { name: "Worker tests", project: "worker", niceness: 2 },
  { name: "Unit tests", project: "unit", except: COMPUTING, niceness: 6 },
];

interface Part extends TestSelection {
  name: string;
  /** Added to the niceness of this program: 3 leaves half of the processor's time of an equal process to it. */
  niceness?: number;
  /** True to give the part only the processor time that the others leave. */
  fillsGaps?: boolean;
  /** Variables besides those of this program. */
  env?: Record<string, string>;
  /** True to show the output as it comes; that of the others is shown when they have ended. */
  isShown?: boolean;
}

/**
 * From lint to real browsers. The last line is for machines: what passed and what failed.
 * @param isShort true to leave out long tests.
 */
async function testAll(isShort: boolean): Promise<void> {
  const run: Run = { deadline: performance.now() + BUDGET_MS, isShort };
  console.log("\n== Build and checks");
  // Needs neither a browser, which may have to be installed, nor the dashboard.
  const filling = fillGaps(run);
  // Until it is waited for.
  filling.catch(() => undefined);
  const [browser, built] = await Promise.all([seedBrowser({ log: console.log, addsShell: true }), buildAssets()]);
  console.log(browser.kind === "installed" ? `Browser: ${browser.path}` : "Browser: downloaded when a test needs it");
  console.log(describeUiBuild(built));
  const [filled, ...tested] = await Promise.all([filling, ...WAITING.map((part) => testPart(part, run))]);
  const parts = await testAgain([filled.part, ...tested], run);
  const sum = (kind: "passed" | "failed" | "skipped" | "left"): number =>
    parts.reduce((total, counts) => total + counts[kind], 0);
  const failed = sum("failed") + filled.failedChecks.length;
  const skipped = sum("skipped") > 0 ? `, ${sum("skipped")} skipped` : "";
  console.log("");
  for (const name of filled.failedChecks) console.log(`${name}: failed`);
  for (const { line } of parts) console.log(line);
  const failures = parts.flatMap((part) => part.failures);
  if (failures.length > 0) console.log(`\nFailed:\n${failures.map((failure) => `  ${failure}`).join("\n")}`);
  if (sum("left") > 0) console.log(`\n${sum("left")} long tests did not run. To run them: npm test -- --all`);
  console.log(`\n${sum("passed")} passed, ${failed} failed${skipped}`);
  process.exitCode = failed === 0 ? 0 : 1;
}

/** How the parts of one run are tested. */
interface Run {
  /** On the clock of `performance`. */
  deadline: number;
  isShort: boolean;
}

async function fillGaps(run: Run): Promise<{ failedChecks: string[]; part: PartResult }> {
  const failedChecks = await staticChecks({ fillsGaps: true });
  return { failedChecks, part: await testPart(FILLER, run) };
}

/**
 * Runs the files that failed again, one part after the other with nothing beside it, and says so: all parts together may
 * ask too much of a slow machine. What fails twice has failed.
 */
async function testAgain(parts: readonly PartResult[], run: Run): Promise<PartResult[]> {
  const files = parts.flatMap(({ failedFiles }) => failedFiles);
  if (files.length > MAX_AGAIN) return [...parts];
  const results: PartResult[] = [];
  for (const result of parts) {
    const { part, failedFiles } = result;
    if (failedFiles.length === 0) {
      results.push(result);
      continue;
    }
    const only = failedFiles.map(({ file }) => file);
    console.log(`\n== Run again by themselves, after these failures:\n${result.failures.join("\n")}`);
    const name = `${part.name}, ${only.join(", ")} again`;
    const again = await testPart({ name, project: part.project, only, isShown: true, env: ONE_LANE }, run);
    results.push({ part, ...countAgain(result, again), line: `${result.line}\n${again.line}` });
  }
  return results;
}

type PartResult = TestCounts & { part: Part; line: string };

/** Runs a part, and once more when none of its tests began. */
async function testPart(part: Part, run: Run): Promise<PartResult> {
  const first = await testPartOnce(part, run);
  if (!failedToStart(first) || performance.now() >= run.deadline) return first;
  const again = await testPartOnce({ ...part, name: `${part.name}, which did not start, again` }, run);
  return { ...again, part, line: `${first.line}\n${again.line}` };
}

async function testPartOnce(part: Part, { deadline, isShort }: Run): Promise<PartResult> {
  const { name, niceness, fillsGaps, env, isShown = false } = part;
  console.log(`\n== ${name}`);
  const timeoutMs = Math.max(1000, deadline - performance.now());
  const options = { timeoutMs, isCollected: !isShown, niceness, fillsGaps, env };
  const { ms, isStopped, ...counts } = await vitestProject({ ...part, isShort }, options);
  const end = isStopped ? ", stopped: the time for all tests is used up" : "";
  const { passed, failed, skipped, left } = counts;
  const notRun = left > 0 ? `, ${left} long tests left` : "";
  const line = `${name}: ${passed} passed, ${failed} failed, ${skipped} skipped${notRun} (${(ms / 1000).toFixed(1)} s)${end}`;
  console.log(line);
  return { part, ...counts, line };
}

endPartsWithStarter();
try {
  const { all, help } = readTestOptions(process.argv.slice(2), process.env);
  if (help) console.log(TEST_USAGE);
  else await testAll(!all);
} catch (error) {
  endParts();
  console.error(explainFailure(error));
  console.log("\n0 passed, 1 failed");
  // Parts that run beside would write further lines.
  process.exit(1);
}
