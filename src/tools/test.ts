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
const UNIT = { name: "Unit tests", project: "unit" };
const WORKER = { name: "Worker tests", project: "worker" };
const END_TO_END = { name: "End-to-end tests", project: "e2e" };

type Part = typeof UNIT;

/** Everything, from lint to real browsers. The last line is for machines: what passed and what failed. */
async function testAll(): Promise<void> {
  const deadline = performance.now() + BUDGET_MS;
  const browser = await seedBrowser({ log: console.log });
  console.log(browser.kind === "installed" ? `Browser: ${browser.path}` : "Browser: downloaded when a test needs it");
  console.log(describeUiBuild(await buildAssets()));
  console.log("\n== Checks");
  const failedChecks = await staticChecks();
  const unit = await testPart(UNIT, { deadline });
  // Both mostly wait for browsers and for time to pass.
  const others = await Promise.all([
    testPart(WORKER, { deadline, isCollected: true }),
    testPart(END_TO_END, { deadline }),
  ]);
  const parts = [unit, ...others];
  const sum = (kind: keyof TestCounts): number => parts.reduce((total, counts) => total + counts[kind], 0);
  const failed = sum("failed") + failedChecks.length;
  const skipped = sum("skipped") > 0 ? `, ${sum("skipped")} skipped` : "";
  console.log("");
  for (const { line } of parts) console.log(line);
  console.log(`\n${sum("passed")} passed, ${failed} failed${skipped}`);
  process.exitCode = failed === 0 ? 0 : 1;
}

async function testPart(
  { name, project }: Part,
  options: { deadline: number; isCollected?: boolean },
): Promise<TestCounts & { line: string }> {
  console.log(`\n== ${name}`);
  const timeoutMs = Math.max(1000, options.deadline - performance.now());
  const { ms, isStopped, ...counts } = await vitestProject(project, {
    timeoutMs,
    isCollected: options.isCollected ?? false,
  });
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
