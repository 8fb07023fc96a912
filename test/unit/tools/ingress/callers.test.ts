import { expect, test } from "vitest";
import { Callers } from "../../../../src/tools/ingress/callers.ts";

const counted = { status: 200, isCounted: true };
const key = (token: string) => ({ token, isSessionToken: false });

test("a token that the service accepted has an owner of its own", () => {
  const callers = new Callers();
  const stranger = callers.ownerOf("fc-1");
  expect(stranger).toMatch(/^stranger \d+$/);
  callers.note(key("fc-1"), counted);
  const owner = callers.ownerOf("fc-1");
  expect(owner).not.toBe(stranger);
  expect(owner).not.toContain("fc-1");
  callers.note(key("fc-2"), counted);
  expect(callers.ownerOf("fc-2")).not.toBe(owner);
});

test.each([200, 401, 403, 500])(
  "status %d of a request that was not counted does not make a stranger known",
  (status) => {
    const callers = new Callers();
    callers.note(key("fc-1"), { status, isCounted: false });
    expect(callers.ownerOf("fc-1")).toMatch(/^stranger/);
  },
);

test("a refused token is no longer known, one that has reached a limit is", () => {
  const callers = new Callers();
  callers.note(key("fc-1"), { status: 429, isCounted: true });
  expect(callers.ownerOf("fc-1")).not.toMatch(/^stranger/);
  callers.note(key("fc-1"), { status: 401, isCounted: false });
  expect(callers.ownerOf("fc-1")).toMatch(/^stranger/);
});

test("of many callers, those used last are remembered", () => {
  const callers = new Callers();
  callers.note(key("first"), counted);
  callers.note(key("second"), counted);
  for (let n = 0; n < 9_999; n++) {
    callers.ownerOf("first");
    callers.note(key(`${n}`), counted);
  }
  expect(callers.ownerOf("second")).toMatch(/^stranger/);
  expect(callers.ownerOf("first")).not.toMatch(/^stranger/);
});

test("the token of a session is known when its socket opens, which a key is not", () => {
  const callers = new Callers();
  const session = (token: string) => ({ token, isSessionToken: true });
  callers.note(key("fc-1"), { status: 101, isCounted: false });
  callers.note(session("refused"), { status: 404, isCounted: false });
  callers.note(session("counted"), counted);
  for (const token of ["fc-1", "refused", "counted"]) expect(callers.ownerOf(token)).toMatch(/^stranger/);
  callers.note(session("t-1"), { status: 101, isCounted: false });
  callers.note(session("t-2"), { status: 101, isCounted: false });
  expect(callers.ownerOf("t-1")).not.toMatch(/^stranger/);
  expect(callers.ownerOf("t-1")).not.toBe(callers.ownerOf("t-2"));
});
