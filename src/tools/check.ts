import { endPartsWithStarter } from "./run-part.ts";
import { staticChecks } from "./static-checks.ts";
import { vitestProject } from "./vitest-project.ts";

const UNIT_TIMEOUT_MS = 300_000;
/** Of the frontier's random schedules a sample is enough between two edits; `npm test` plays all ten thousand. */
const SAMPLE_OF_SCHEDULES = "500";

process.env["SCHEDULES"] ??= SAMPLE_OF_SCHEDULES;
endPartsWithStarter();
const failedChecks = await staticChecks();
const { failed } = await vitestProject("unit", { timeoutMs: UNIT_TIMEOUT_MS });
process.exit(failedChecks.length + failed === 0 ? 0 : 1);
