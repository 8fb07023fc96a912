import { expect, test } from "vitest";
import { Callers } from "../../../../src/tools/ingress/callers.ts";

const counted = { status: 200, isCounted: true };

test("a token that the service accepted has an owner of its own", () => {
  const callers = new Callers();
  const stranger = callers.ownerOf("fc-1");
  expect(stranger).toMatch(/^stranger \d+$/);
  callers.note("fc-1", counted);
  const owner = callers.ownerOf("fc-1");
  expect(owner).not.toBe(stranger);
  expect(owner).not.toContain("fc-1");
  callers.note("fc-2", counted);
  expect(callers.ownerOf("fc-2")).not.toBe(owner);
});

test.each([200, 401, 403, 500])(
  "status %d of a request that was not counted does not make a stranger known",
  (status) => {
    const callers = new Callers();
    callers.note("fc-1", { status, isCounted: false });
    expect(callers.ownerOf("fc-1")).toMatch(/^stranger/);
  },
);

test("a refused token is no longer known, one that has reached a limit is", () => {
  const callers = new Callers();
  callers.note("fc-1", { status: 429, isCounted: true });
  expect(callers.ownerOf("fc-1")).not.toMatch(/^stranger/);
  callers.note("fc-1", { status: 401, isCounted: false });
  expect(callers.ownerOf("fc-1")).toMatch(/^stranger/);
});

test("of many callers, those used last are remembered", () => {
  const callers = new Callers();
  callers.note("first", counted);
  callers.note("second", counted);
  for (let n = 0; n < 9_999; n++) {
    callers.ownerOf("first");
    callers.note(`${n}`, counted);
  }
  expect(callers.ownerOf("second")).toMatch(/^stranger/);
  expect(callers.ownerOf("first")).not.toMatch(/^stranger/);
});
