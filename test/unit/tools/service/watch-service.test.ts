import { expect, test, vi } from "vitest";
import type { RunningService, ServiceEnd } from "../../../../src/tools/service/run-service.ts";
import { watchService } from "../../../../src/tools/service/watch-service.ts";

const runService = vi.hoisted(() => vi.fn<() => Promise<RunningService>>());
vi.mock("../../../../src/tools/service/run-service.ts", () => ({ runService }));

const END: ServiceEnd = { code: 1, signal: null, lastLines: [] };

/** A service that has died at once. @param killed is called, and waited for, when what is left of it is ended */
function deadService(killed: () => Promise<void>): RunningService {
  return {
    url: "http://127.0.0.1:1", port: 1, pid: 0, localToken: "", temporaryDir: "/nowhere", processes: () => [],
    ended: Promise.resolve(END), schedule: async () => {}, stop: async () => {}, kill: killed,
  }; // prettier-ignore
}

test("a service that is stopped while what is left of it is ended does not start again", async () => {
  const killing = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const killed = (): Promise<void> => (killing.resolve(), ended.promise);
  runService.mockResolvedValue(deadService(killed));
  const lines: string[] = [];
  const watched = await watchService({ settings: {}, persistDir: "/nowhere", log: (line) => lines.push(line) });
  await killing.promise;
  const stopped = watched.stop();
  ended.resolve();
  await stopped;
  expect(await watched.ended).toEqual(END);
  expect([runService.mock.calls.length, lines]).toEqual([1, []]);
});
