import { expect, test } from "vitest";
import { pacedHttp } from "../../../../src/services/map/paced-http.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { scriptedHttp } from "../../../fakes/upstream/scripted-http.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const NAMES = ["a", "b", "c"].map((name) => `https://example.com/${name}.xml`);

/** Requests three files at once, and returns when each was sent, in ms from the start, and how each ended. */
async function requestAll(delayMs: number, forMs: number, endMs = Infinity) {
  const clock = fixedClock();
  const startMs = clock.now();
  const sent: number[] = [];
  const scripted = scriptedHttp({});
  const http: typeof scripted = {
    ...scripted,
    async request(request) {
      sent.push(clock.now() - startMs);
      expect(request.deadlineMs - startMs).toBe(Math.min(clock.now() - startMs + 20_000, endMs));
      return await scripted.request(request);
    },
  };
  const deps = testDeps({ clock, http, sleep: async (ms) => void clock.advance(ms) });
  const paced = pacedHttp(deps, {
    ownDelayMs: delayMs,
    keyId: "key",
    untilMs: startMs + forMs,
    endMs: startMs + endMs,
  });
  const request = (url: string) => paced.request({ url, deadlineMs: startMs + 20_000, ownHosts: [] });
  const outcomes = await Promise.all(NAMES.map(request));
  const [otherAtMs = 0] = await deps.hostThrottle.reserve("example.com", 1, { delayMs: 0, keyId: "another key" });
  return { otherWaitsMs: otherAtMs - clock.now(), sent, kinds: outcomes.map(({ kind }) => kind) };
}

test("files of a map with a delay are requested one by one, each with its full time", async () => {
  const { sent, kinds, otherWaitsMs } = await requestAll(5_000, 60_000);
  expect(sent).toEqual([0, 5_000, 10_000]);
  // The delay is that of the caller: pages of another key begin at once.
  expect(otherWaitsMs).toBe(0);
  expect(kinds).toEqual(["response", "response", "response"]);
});

test("a file that is requested late has ended with the map", async () => {
  expect((await requestAll(5_000, 60_000, 27_000)).sent).toEqual([0, 5_000, 10_000]);
});

test("a file for which the delay leaves no time is not requested", async () => {
  const { sent, kinds } = await requestAll(5_000, 9_000);
  expect(sent).toEqual([0, 5_000]);
  expect(kinds).toEqual(["response", "response", "failed"]);
});

test("without a delay all are requested at once", async () => {
  expect((await requestAll(0, 60_000)).sent).toEqual([0, 0, 0]);
});
