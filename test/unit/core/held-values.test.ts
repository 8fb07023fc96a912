import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { HeldValues } from "../../../src/core/held-values.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

test("those who ask for the same text share a value, and one that nobody holds is made anew", async () => {
  const values = new HeldValues<{ number: number }>();
  let made = 0;
  const make = () => ({ number: ++made });
  const held = values.get("a", make);
  expect(values.get("a", make)).toBe(held);
  expect(values.get("b", make).number).toBe(2);
  expect(values.size).toBe(2);
  // A weak reference holds its value until the end of the turn in which it was asked for.
  await new Promise((resolve) => setTimeout(resolve));
  collect();
  expect(values.get("b", make).number).toBe(3);
  expect(values.get("a", make)).toBe(held);
  await new Promise((resolve) => setTimeout(resolve));
  collect();
  values.get("c", make);
  expect(values.size).toBe(2);
});
