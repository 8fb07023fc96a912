import fc from "fast-check";
import { expect, test } from "vitest";
import { NumberSet } from "../../../src/core/number-set.ts";

test("it holds what a set holds, whatever is added and deleted", () => {
  const step = fc.record({ adds: fc.boolean(), value: fc.oneof(fc.nat(50), fc.maxSafeNat()) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const set = new NumberSet();
      const model = new Set<number>();
      for (const { adds, value } of steps) {
        const member = value || 1;
        expect(adds ? set.add(value) : set.delete(value)).toBe(adds ? !model.has(member) : model.has(member));
        if (adds) model.add(member);
        else model.delete(member);
        expect(set.size).toBe(model.size);
      }
      for (const { value } of steps) expect(set.has(value)).toBe(model.has(value || 1));
    }),
  );
});

test("it grows, and forgets what was deleted", () => {
  const set = new NumberSet();
  for (let value = 1; value <= 100_000; value++) set.add(value * 7919);
  for (let value = 1; value <= 100_000; value += 2) set.delete(value * 7919);
  expect(set.size).toBe(50_000);
  expect(set.has(7919)).toBe(false);
  expect(set.has(2 * 7919)).toBe(true);
});
