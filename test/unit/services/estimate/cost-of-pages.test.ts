import { expect, test } from "vitest";
import { exactly } from "../../../../src/core/account/estimate.ts";
import { PRICES_NANO_DOLLARS } from "../../../../src/core/account/receipt.ts";
import { costOfPages } from "../../../../src/services/estimate/cost-of-pages.ts";

const RATES = { credits: 1, bytes: 0, browserMs: 4_000 };

test("browser time is a wide range by a sample, and a narrow one by earlier jobs, and dollars follow it", () => {
  const sampled = costOfPages(exactly(10), RATES);
  expect(sampled.browserSeconds).toEqual({ low: 24, expected: 40, high: 120 });
  const known = costOfPages(exactly(10), { ...RATES, dollars: 0.0001 });
  expect(known.browserSeconds).toEqual({ low: 24, expected: 40, high: 56 });
  const browserDollars = (seconds: number): number => (seconds * 1000 * PRICES_NANO_DOLLARS.browserMs) / 1e9;
  expect(known.dollars.expected).toBeCloseTo(0.001 + browserDollars(40), 9);
  expect(known.dollars.high).toBeCloseTo((0.001 + browserDollars(56)) * 1.25, 9);
  expect(sampled.dollars.high).toBeGreaterThan(browserDollars(120));
});

test("without a browser, dollars depend on the operations alone", () => {
  const { browserSeconds, dollars } = costOfPages(exactly(10), { ...RATES, browserMs: 0 });
  expect(browserSeconds).toEqual(exactly(0));
  expect(dollars.low / dollars.expected).toBeCloseTo(0.75, 6);
  expect(dollars.high / dollars.expected).toBeCloseTo(1.25, 6);
});
