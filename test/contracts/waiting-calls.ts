import { describe, expect, test } from "vitest";
import { MAX_CANCELLED, type WaitingCalls } from "../../src/ports/storage/waiting-calls.ts";

const PATH = "/v2/crawl/0199aaaa-0000-7000-8000-000000000000";
const someCall = () => ({
  teamId: crypto.randomUUID(),
  session: crypto.randomUUID(),
  request: "1",
  nowMs: 0,
  expiresAtMs: 1000,
});

/** Requirements of every store of waiting calls. */
export function waitingCallsContract(name: string, makeCalls: () => WaitingCalls): void {
  describe(`${name} as a store of waiting calls`, () => {
    test("finds the job of a call that is cancelled, and of no other session, request or team", async () => {
      const calls = makeCalls();
      const call = someCall();
      expect(await calls.add({ ...call, jobPath: PATH })).toBe(false);
      for (const other of [{ session: "another" }, { request: '"1"' }, { teamId: "another" }]) {
        expect(await calls.cancel({ ...call, ...other })).toBeUndefined();
      }
      expect(await calls.cancel(call)).toBe(PATH);
    });

    test("tells a call whose job starts that it was cancelled before", async () => {
      const calls = makeCalls();
      const call = someCall();
      expect(await calls.cancel(call)).toBeUndefined();
      expect(await calls.add({ ...call, jobPath: PATH })).toBe(true);
    });

    test("records a bounded number of cancelled calls of a team that have no job", async () => {
      const calls = makeCalls();
      const call = someCall();
      await calls.add({ ...call, jobPath: PATH });
      for (let id = 0; id <= MAX_CANCELLED; id++) await calls.cancel({ ...call, session: "s", request: `${id}` });
      const early = { ...call, session: "s", request: `${MAX_CANCELLED - 1}` };
      const late = { ...call, session: "s", request: `${MAX_CANCELLED}` };
      expect(await calls.cancel(early)).toBeUndefined();
      expect(await calls.add({ ...early, jobPath: PATH })).toBe(true);
      expect(await calls.add({ ...late, jobPath: PATH })).toBe(false);
      expect(await calls.cancel(late)).toBe(PATH);
      expect(await calls.cancel(call)).toBe(PATH);
      const other = someCall();
      await calls.cancel(other);
      expect(await calls.add({ ...other, jobPath: PATH })).toBe(true);
    });

    test("counts no cancelled calls that have expired, though they are not deleted yet", async () => {
      const calls = makeCalls();
      const call = someCall();
      for (let id = 0; id < MAX_CANCELLED; id++) await calls.cancel({ ...call, session: "s", request: `${id}` });
      for (const { nowMs, isRecorded } of [
        { nowMs: 999, isRecorded: false },
        { nowMs: 1000, isRecorded: true },
      ]) {
        const next = { ...call, request: `at ${nowMs}`, expiresAtMs: 2000 };
        await calls.cancel({ ...next, nowMs });
        expect(await calls.add({ ...next, jobPath: PATH })).toBe(isRecorded);
      }
    });

    test("forgets an ended call", async () => {
      const calls = makeCalls();
      const call = someCall();
      await calls.add({ ...call, jobPath: PATH });
      await calls.delete(call);
      expect(await calls.cancel(call)).toBeUndefined();
    });

    test("ends a session with the jobs of its calls, up to a limit", async () => {
      const calls = makeCalls();
      const call = someCall();
      for (const request of ["1", "2", "3"]) await calls.add({ ...call, request, jobPath: PATH + request });
      await calls.add({ ...someCall(), jobPath: PATH });
      const first = await calls.endSession(call, 2);
      const rest = await calls.endSession(call, 2);
      expect([...first, ...rest].toSorted()).toEqual([`${PATH}1`, `${PATH}2`, `${PATH}3`]);
      expect(first).toHaveLength(2);
      expect(await calls.endSession(call, 2)).toEqual([]);
    });

    test("deletes expired calls, up to a limit", async () => {
      const calls = makeCalls();
      const call = someCall();
      for (const request of ["1", "2", "3"]) await calls.add({ ...call, request, jobPath: PATH, expiresAtMs: 1 });
      await calls.add({ ...call, request: "4", jobPath: PATH });
      expect(await calls.purge(1000, 2)).toBe(2);
      expect(await calls.purge(1000, 2)).toBe(1);
      expect(await calls.endSession(call, 10)).toEqual([PATH]);
    });
  });
}
