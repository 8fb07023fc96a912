import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DriveQueue } from "../../../../src/platform/live-view/drive-queue.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const forever = (): Promise<void> => new Promise(() => undefined);

function setUp() {
  const cut: object[] = [];
  return { queue: new DriveQueue<{ name: string }>((driver) => cut.push(driver)), cut };
}

test("commands run in their order, and a failed one does not hold up the next", async () => {
  const { queue } = setUp();
  const ran: number[] = [];
  const driver = { name: "one" };
  for (let at = 0; at < 5; at++) {
    queue.add(driver, 10, async () => {
      await new Promise((resolve) => setTimeout(resolve, 100 - at));
      ran.push(at);
      if (at === 2) throw new Error("the tab is gone");
    });
  }
  await vi.advanceTimersByTimeAsync(1_000);
  expect(ran).toEqual([0, 1, 2, 3, 4]);
});

test("a command that is not answered holds up the next one for five seconds", async () => {
  const { queue } = setUp();
  let hasRun = false;
  queue.add({ name: "one" }, 10, forever);
  queue.add({ name: "one" }, 10, async () => void (hasRun = true));
  await vi.advanceTimersByTimeAsync(4_900);
  expect(hasRun).toBe(false);
  await vi.advanceTimersByTimeAsync(200);
  expect(hasRun).toBe(true);
});

test.each([
  { by: "messages", chars: 100, count: 3_000 },
  { by: "characters", chars: 1_000_000, count: 70 },
])("the driver of most of the $by is cut off when too many wait, and the others go on", async ({ chars, count }) => {
  const { queue, cut } = setUp();
  const [loud, quiet] = [{ name: "loud" }, { name: "quiet" }];
  const ran: string[] = [];
  queue.add(quiet, 10, forever);
  queue.add(quiet, 10, async () => void ran.push("quiet"));
  for (let at = 0; at < count && cut.length === 0; at++) queue.add(loud, chars, async () => void ran.push("loud"));
  expect(cut).toEqual([loud]);
  await vi.advanceTimersByTimeAsync(6_000);
  expect(ran).toEqual(["quiet"]);
});
