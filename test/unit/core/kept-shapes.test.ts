import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { keepShape, keepShapesOf } from "../../../src/core/kept-shapes.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

class Reader {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
    keepShape(this);
  }
}

const newReader = (): WeakRef<Reader> => new WeakRef(new Reader("text"));

/** A WeakRef is held until the current task has ended. */
async function isAlive(reference: WeakRef<object>): Promise<boolean> {
  await new Promise((done) => setTimeout(done, 0));
  collect();
  return reference.deref() !== undefined;
}

test("the last object of a class stays, an earlier one does not", async () => {
  keepShapesOf("<p>small</p>");
  const [earlier, last] = [newReader(), newReader()];
  expect(await isAlive(earlier)).toBe(false);
  expect(await isAlive(last)).toBe(true);
});

test("nothing stays of a large page, nor of the pages before it", async () => {
  keepShapesOf("<p>small</p>");
  const before = newReader();
  keepShapesOf("x".repeat(400_001));
  const large = newReader();
  expect(await isAlive(before)).toBe(false);
  expect(await isAlive(large)).toBe(false);
});
