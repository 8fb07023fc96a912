import { expect, test } from "vitest";
import { waitForTurn } from "../../../../src/services/crawl/host-turn.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const PAGE = { url: "https://example.com/page", keyId: "key", delayMs: 10_000 };

function service() {
  const clock = fixedClock();
  const startMs = clock.now();
  const deps = testDeps({ clock, sleep: async (ms) => void clock.advance(ms) });
  const turn = async (forMs: number): Promise<number | undefined> =>
    (await waitForTurn(deps, { ...PAGE, untilMs: startMs + forMs })) ? clock.now() - startMs : undefined;
  return { turn, passedMs: () => clock.now() - startMs };
}

test("turns of pages are a delay apart that is longer than the host's times are reserved for", async () => {
  const { turn } = service();
  expect([await turn(60_000), await turn(60_000), await turn(60_000), await turn(60_000)]).toEqual([
    0, 10_000, 20_000, 30_000,
  ]);
});

test("a turn after the end is not waited for", async () => {
  const { turn, passedMs } = service();
  expect([await turn(10_000), await turn(10_000)]).toEqual([0, undefined]);
  expect(passedMs()).toBe(0);
});
