import { expect, test } from "vitest";
import { JobWatchers } from "../../../../src/http/jobs/job-watchers.ts";

test("a job is watched by ten sockets, and a team's jobs by fifty; who leaves makes room", () => {
  const watchers = new JobWatchers();
  const places = Array.from({ length: 12 }, () => watchers.enter("a", "job"));
  expect(places.filter((place) => place !== undefined)).toHaveLength(10);
  places[0]?.leave();
  expect(watchers.enter("a", "job")).toBeDefined();
  const others = Array.from({ length: 60 }, (_, number) => watchers.enter("a", `job ${number}`));
  expect(others.filter((place) => place !== undefined)).toHaveLength(40);
  expect(watchers.enter("b", "job of another team")).toBeDefined();
});

test("a socket must close when those of its team that are still open were sent too much", () => {
  const watchers = new JobWatchers();
  const first = watchers.enter("a", "one");
  const second = watchers.enter("a", "two");
  expect(first?.send(100_000_000)).toBe(true);
  expect(watchers.enter("b", "three")?.send(100_000_000)).toBe(true);
  expect(second?.send(30_000_000)).toBe(false);
  first?.leave();
  expect(second?.send(1)).toBe(true);
});

test("a socket of a client that is gone without a word makes room after ten minutes", () => {
  let nowMs = 0;
  const watchers = new JobWatchers(() => nowMs);
  const [first] = Array.from({ length: 10 }, () => watchers.enter("a", "job"));
  nowMs = 500_000;
  first?.send(0);
  expect(watchers.enter("a", "job")).toBeUndefined();
  nowMs = 700_000;
  expect(Array.from({ length: 10 }, () => watchers.enter("a", "job")).filter(Boolean)).toHaveLength(9);
});
