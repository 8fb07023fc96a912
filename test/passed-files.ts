import { writeFileSync } from "node:fs";
import type { Reporter, SerializedError, TestModule } from "vitest/node";

/**
 * Writes the paths of the test files that passed, as a JSON list, to the file that PASSED_FILES names. An error outside
 * of the tests cannot be laid at one file's door: then no file counts as passed.
 */
export default class PassedFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const passed = modules.filter((module) => unhandledErrors.length === 0 && module.state() === "passed");
    const paths = passed.map(({ moduleId }) => moduleId);
    writeFileSync(process.env["PASSED_FILES"] ?? "", JSON.stringify(paths));
  }
}
