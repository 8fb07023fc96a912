import { expect, test } from "vitest";
import { Callers } from "../../../../src/tools/ingress/callers.ts";

test("a credential that the service accepted has an owner of its own", () => {
  const callers = new Callers();
  const nobody = callers.ownerOf(undefined);
  expect(callers.ownerOf("Bearer fc-1")).toBe(nobody);
  callers.note("Bearer fc-1", 200);
  const owner = callers.ownerOf("Bearer fc-1");
  expect(owner).not.toBe(nobody);
  expect(owner).not.toContain("fc-1");
  callers.note("Bearer fc-2", 202);
  expect(callers.ownerOf("Bearer fc-2")).not.toBe(owner);
});

test.each([401, 403, 429, 500])("status %d does not make a stranger known", (status) => {
  const callers = new Callers();
  callers.note("Bearer fc-1", status);
  expect(callers.ownerOf("Bearer fc-1")).toBe(callers.ownerOf(undefined));
});

test("a refused credential is no longer known, one that has reached a limit is", () => {
  const callers = new Callers();
  callers.note("Bearer fc-1", 200);
  callers.note("Bearer fc-1", 429);
  expect(callers.ownerOf("Bearer fc-1")).not.toBe(callers.ownerOf(undefined));
  callers.note("Bearer fc-1", 401);
  expect(callers.ownerOf("Bearer fc-1")).toBe(callers.ownerOf(undefined));
});

test("of many callers, those used last are remembered", () => {
  const callers = new Callers();
  callers.note("Bearer first", 200);
  callers.note("Bearer second", 200);
  for (let n = 0; n < 9_999; n++) {
    callers.ownerOf("Bearer first");
    callers.note(`Bearer ${n}`, 200);
  }
  expect(callers.ownerOf("Bearer second")).toBe(callers.ownerOf(undefined));
  expect(callers.ownerOf("Bearer first")).not.toBe(callers.ownerOf(undefined));
});
