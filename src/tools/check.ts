import { join } from "node:path";
import { parseArgs } from "node:util";
import { runUnitTests, selectUnitTests } from "./changed-tests/unit-tests.ts";
import { endPartsWithStarter } from "./testing/run-part.ts";
import { staticChecks } from "./testing/static-checks.ts";
import { PROJECT_ROOT } from "./service/wrangler.ts";

/** Of the frontier's random schedules a sample is enough between two edits; `npm test` plays all ten thousand. */
const SAMPLE_OF_SCHEDULES = "500";

const { values } = parseArgs({ options: { all: { type: "boolean", default: false } } });
process.env["SCHEDULES"] ??= SAMPLE_OF_SCHEDULES;
endPartsWithStarter();
const [failedChecks, selected] = await Promise.all([
  staticChecks(values.all ? {} : { keptIn: join(PROJECT_ROOT, "dist", "check") }),
  selectUnitTests({ runsAll: values.all }),
]);
const failedTests = selected === undefined ? 1 : await runUnitTests(selected);
process.exit(failedChecks.length + failedTests === 0 ? 0 : 1);
