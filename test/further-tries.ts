import type { Reporter, TestCase } from "vitest/node";

const MAX_ERROR_CHARS = 500;

/**
 * Names the tests that passed only when they were tried again, and the error of each: a fault in the test, or in the
 * service.
 */
export default class FurtherTries implements Reporter {
  readonly #names: string[] = [];

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky !== true) return;
    const errors = (test.result().errors ?? []).map(({ message, stacks }) => {
      const { line } = stacks?.[0] ?? {};
      return `\n    ${line === undefined ? "" : `line ${line}: `}${message.slice(0, MAX_ERROR_CHARS)}`;
    });
    this.#names.push(`${test.module.relativeModuleId} > ${test.fullName}${errors.join("")}`);
  }

  onTestRunEnd(): void {
    if (this.#names.length === 0) return;
    console.log(`\nPassed only when tried again (${this.#names.length}):\n  ${this.#names.join("\n  ")}`);
  }
}
