import { buildUi, describeUiBuild } from "./build-ui.ts";
import { explainFailure } from "./explain-failure.ts";
import { endPartsWithStarter } from "./run-part.ts";
import { seedBrowser } from "./seed-browser.ts";
import { staticChecks } from "./static-checks.ts";
import { vitestProject } from "./vitest-project.ts";

/** All parts together, on a machine that is slow. A part that hangs is stopped, so that the last line is always written. */
const BUDGET_MS = 30 * 60_000;
const PARTS = [
  { name: "Unit tests", project: "unit" },
  { name: "Worker tests", project: "worker" },
  { name: "End-to-end tests", project: "e2e" },
];

/** Everything, from lint to real browsers. The last line is for machines: what passed and what failed. */
async function testAll(): Promise<void> {
  const deadline = performance.now() + BUDGET_MS;
  const total = { passed: 0, failed: 0, skipped: 0 };
  const browser = await seedBrowser({ log: console.log });
  console.log(browser.kind === "installed" ? `Browser: ${browser.path}` : "Browser: downloaded when a test needs it");
  console.log(describeUiBuild(await buildUi()));
  console.log("\n== Checks");
  total.failed += (await staticChecks()).length;
  for (const { name, project } of PARTS) {
    console.log(`\n== ${name}`);
    const timeoutMs = Math.max(1000, deadline - performance.now());
    const { passed, failed, skipped, ms, isStopped } = await vitestProject(project, { timeoutMs });
    const end = isStopped ? ", stopped: the time for all tests is used up" : "";
    console.log(`${name}: ${passed} passed, ${failed} failed, ${skipped} skipped (${(ms / 1000).toFixed(1)} s)${end}`);
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
  }
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
  console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
  process.exitCode = total.failed === 0 ? 0 : 1;
}

endPartsWithStarter();
try {
  await testAll();
} catch (error) {
  console.error(explainFailure(error));
  console.log("\n0 passed, 1 failed");
  process.exitCode = 1;
}
