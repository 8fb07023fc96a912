import { expect, test } from "vitest";
import { FairAdmission } from "../../../../src/core/waits/fair-admission.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { memoryKeyLedger } from "../../../fakes/memory/memory-key-ledger.ts";
import { insertTeamKeys } from "../../../fakes/services/insert-team-keys.ts";
import { testApp } from "../../../fakes/services/test-app.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const KEYS = { busy: `fc-${"b".repeat(32)}`, quiet: `fc-${"c".repeat(32)}` };

/** The service with two teams, whose lists of monitors are read when they are told to be. */
async function twoTeams(requests: FairAdmission) {
  const reads: { teamId: string; answer(): void }[] = [];
  const list = (teamId: string): Promise<object> =>
    new Promise((resolve) => reads.push({ teamId, answer: () => resolve({ monitors: [], hasMore: false }) }));
  const clock = fixedClock(Date.now());
  const deps = testDeps({ clock, requests, keyLedger: memoryKeyLedger(clock), monitors: { list } as never });
  await insertTeamKeys(deps, KEYS);
  const app = testApp(deps);
  return { reads, ask: (team: keyof typeof KEYS) => app.ask("/v2/monitor", { key: KEYS[team] }) };
}

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 500));

test("a team's first request begins at once beside 60 of another team, of which three begin at a time", async () => {
  const { reads, ask } = await twoTeams(new FairAdmission({ places: 3, isProcessorBusy: () => true }));
  const busy = Array.from({ length: 60 }, () => ask("busy"));
  const teams = (): string[] => reads.map(({ teamId }) => teamId);
  await settle();
  expect(teams()).toEqual(["busy", "busy", "busy"]);
  const quiet = ask("quiet");
  await settle();
  expect(teams()).toEqual(["busy", "busy", "busy", "quiet"]);
  reads.at(-1)?.answer();
  expect((await quiet).status).toBe(200);
  await settle();
  expect(reads).toHaveLength(4);

  for (let read = 0; read < 61; read++) {
    await expect.poll(() => reads.length).toBeGreaterThan(read);
    reads[read]?.answer();
  }
  expect(new Set((await Promise.all(busy)).map(({ status }) => status))).toEqual(new Set([200]));
});

test("requests begin beyond the places while the processor is free", async () => {
  // No time passes while a request waits for the processor.
  const requests = new FairAdmission({ places: 1, fillsFreeTime: true, isProcessorBusy: () => true, nowMs: () => 0 });
  const { reads, ask } = await twoTeams(requests);
  const busy = Array.from({ length: 12 }, () => ask("busy"));
  await expect.poll(() => reads.length, { timeout: 20_000 }).toBe(12);
  for (const { answer } of reads) answer();
  await Promise.all(busy);
});

test("a team with as many waiting requests as may wait is refused further ones at once, another team is not", async () => {
  const { reads, ask } = await twoTeams(new FairAdmission({ places: 1, mostWaiting: 3, isProcessorBusy: () => true }));
  const busy = Array.from({ length: 4 }, () => ask("busy"));
  await settle();
  const refused = await ask("busy");
  expect(refused.status).toBe(429);
  expect(refused.headers.get("Retry-After")).toBe("1");
  expect(await refused.json()).toMatchObject({ success: false, error: expect.stringContaining("waiting at once") });
  const quiet = ask("quiet");
  for (let read = 0; read < 5; read++) {
    await expect.poll(() => reads.length).toBeGreaterThan(read);
    reads[read]?.answer();
  }
  const answers = await Promise.all([...busy, quiet]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  const again = ask("busy");
  await expect.poll(() => reads.length).toBe(6);
  reads[5]?.answer();
  expect((await again).status).toBe(200);
});
