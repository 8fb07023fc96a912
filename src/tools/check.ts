import { endPartsWithStarter } from "./run-part.ts";
import { staticChecks } from "./static-checks.ts";
import { vitestProject } from "./vitest-project.ts";

const UNIT_TIMEOUT_MS = 300_000;

endPartsWithStarter();
const failedChecks = await staticChecks();
const { failed } = await vitestProject("unit", { timeoutMs: UNIT_TIMEOUT_MS });
process.exit(failedChecks.length + failed === 0 ? 0 : 1);
