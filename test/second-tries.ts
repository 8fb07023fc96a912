import type { Reporter, TestCase } from "vitest/node";

/** Names the tests that passed only when they were tried again: each is a fault in the test, or in the service. */
export default class SecondTries implements Reporter {
  readonly #names: string[] = [];

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky === true) this.#names.push(`${test.module.relativeModuleId} > ${test.fullName}`);
  }

  onTestRunEnd(): void {
    if (this.#names.length === 0) return;
    console.log(`\nPassed only when tried again (${this.#names.length}):\n  ${this.#names.join("\n  ")}`);
  }
}
