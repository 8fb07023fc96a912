import { describe, expect, test } from "vitest";
import type { AgentTurn, AgentTurns } from "../../src/ports/storage/agent-turns.ts";

const NOW = Date.UTC(2026, 5, 15);

const someTurn = (fields: Partial<AgentTurn> = {}): AgentTurn => ({
  threadId: crypto.randomUUID(),
  turn: 2,
  teamId: crypto.randomUUID(),
  runId: crypto.randomUUID(),
  createdAtMs: NOW,
  expiresAtMs: NOW + 1000,
  ...fields,
});

/** Requirements of every store of follow-ups. */
export function agentTurnsContract(name: string, makeTurns: () => AgentTurns): void {
  describe(`${name} as a store of follow-ups`, () => {
    test("gives a turn to the first run that claims it, however often that run claims it", async () => {
      const turns = makeTurns();
      const first = someTurn();
      expect(await turns.claim(first)).toBe(true);
      expect(await turns.claim(first)).toBe(true);
      expect(await turns.claim({ ...first, runId: "another run" })).toBe(false);
      expect(await turns.list(first.threadId)).toEqual([first]);
    });

    test("gives a turn to one of many runs that claim it at once", async () => {
      const turns = makeTurns();
      const { threadId } = someTurn();
      const claims = Array.from({ length: 5 }, () => turns.claim(someTurn({ threadId })));
      expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
    });

    test("releases a turn only for its own run, so that another run can claim it", async () => {
      const turns = makeTurns();
      const first = someTurn();
      const second = { ...first, runId: crypto.randomUUID() };
      await turns.claim(first);
      await turns.release(first.threadId, second.runId);
      expect(await turns.claim(second)).toBe(false);
      await turns.release(first.threadId, first.runId);
      expect(await turns.claim(second)).toBe(true);
      expect(await turns.ofRun(first.runId)).toBeUndefined();
    });

    test("lists the follow-ups of a thread in order, and finds the turn of a run", async () => {
      const turns = makeTurns();
      const { threadId } = someTurn();
      const [second, third, tenth] = [2, 3, 10].map((turn) => someTurn({ threadId, turn }));
      for (const turn of [tenth, second, third, someTurn()]) if (turn !== undefined) await turns.claim(turn);
      expect(await turns.list(threadId)).toEqual([second, third, tenth]);
      expect(await turns.ofRun(third?.runId ?? "")).toEqual(third);
      expect(await turns.ofRun(threadId)).toBeUndefined();
      expect(await turns.list("no thread")).toEqual([]);
    });

    test("gives no turn of a closed thread to a run, and lists those that were claimed before", async () => {
      const turns = makeTurns();
      const [first, other] = [someTurn(), someTurn()];
      await turns.claim(first);
      expect(await turns.isClosed(first.threadId)).toBe(false);
      await turns.close(first);
      expect(await turns.claim({ ...first, turn: 3, runId: crypto.randomUUID() })).toBe(false);
      expect(await turns.isClosed(first.threadId)).toBe(true);
      expect(await turns.list(first.threadId)).toEqual([first]);
      await turns.delete(first.threadId);
      expect(await turns.claim(first)).toBe(false);
      expect(await turns.list(first.threadId)).toEqual([]);
      expect(await turns.claim(other)).toBe(true);
      await turns.purge(first.expiresAtMs + 1, 10);
      expect(await turns.isClosed(first.threadId)).toBe(false);
    });

    test("deletes the follow-ups of a thread, and of no other", async () => {
      const turns = makeTurns();
      const [first, other] = [someTurn(), someTurn()];
      for (const turn of [first, { ...someTurn(), threadId: first.threadId, turn: 3 }, other]) await turns.claim(turn);
      await turns.delete(first.threadId);
      expect(await turns.list(first.threadId)).toEqual([]);
      expect(await turns.list(other.threadId)).toEqual([other]);
    });

    test("deletes expired turns, up to a limit", async () => {
      const turns = makeTurns();
      const { threadId } = someTurn();
      const expired = [2, 3, 4].map((turn) => someTurn({ threadId, turn, expiresAtMs: turn }));
      const current = someTurn({ threadId, turn: 5, expiresAtMs: 1000 });
      for (const turn of [...expired, current]) await turns.claim(turn);
      expect(await turns.purge(1000, 2)).toBe(2);
      expect(await turns.purge(1000, 2)).toBe(1);
      expect(await turns.list(threadId)).toEqual([current]);
    });
  });
}
