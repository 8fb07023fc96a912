import { describe, expect, test } from "vitest";
import {
  IDLE_CAST,
  stepCast,
  type CastEffect,
  type CastEvent,
  type CastState,
} from "../../../../src/sessions/live-view/cast.ts";

const tab = (id: string, title = id) => ({ id, title, url: `https://example.com/${id}` });
const opened = (id: string): CastEvent => ({ kind: "tab_opened", tab: tab(id) });
const audience = (viewers: number, isRecording = false): CastEvent => ({ kind: "audience", viewers, isRecording });

/** Plays events one after another and gives the state and what was to be done, without the news for viewers. */
function play(...events: CastEvent[]): { state: CastState; done: string[] } {
  let state = IDLE_CAST;
  const done: string[] = [];
  for (const event of events) {
    const step = stepCast(state, event);
    state = step.state;
    done.push(...step.effects.filter((effect) => effect.kind !== "tell").map(named));
  }
  return { state, done };
}

const named = (effect: CastEffect): string => (effect.kind === "tell" ? "tell" : `${effect.kind} ${effect.id}`);

describe("a cast", () => {
  test("does not run without anybody who watches", () => {
    expect(play(opened("a"), opened("b")).done).toEqual([]);
  });

  test("runs for viewers and for a recording, and stops when the last of them leaves", () => {
    expect(play(opened("a"), audience(1), audience(2), audience(1), audience(0)).done).toEqual(["start a", "stop a"]);
    expect(play(opened("a"), audience(1), audience(1, true), audience(0, true), audience(0)).done).toEqual([
      "start a",
      "stop a",
    ]);
  });

  test("follows to the tab that was opened last, one screencast at a time", () => {
    expect(play(opened("a"), audience(1), opened("b")).done).toEqual(["start a", "stop a", "start b"]);
  });

  test("goes back to the tab that was shown before when the shown one closes", () => {
    const { state, done } = play(opened("a"), opened("b"), opened("c"), audience(1), { kind: "tab_closed", id: "c" });
    expect(done).toEqual(["start c", "start b"]);
    expect(state.shown).toBe("b");
  });

  test("stays where it is when another tab closes", () => {
    expect(play(opened("a"), opened("b"), audience(1), { kind: "tab_closed", id: "a" }).done).toEqual(["start b"]);
  });

  test("is started anew when it was lost", () => {
    expect(play(opened("a"), audience(1), { kind: "cast_lost", id: "a" }).done).toEqual(["start a", "start a"]);
    expect(play(opened("a"), opened("b"), audience(1), { kind: "cast_lost", id: "a" }).done).toEqual(["start b"]);
  });

  test("shows the tab that was selected, if there is such a one", () => {
    const events = [opened("a"), opened("b"), audience(1)];
    expect(play(...events, { kind: "tab_selected", id: "a" }).done).toEqual(["start b", "stop b", "start a"]);
    expect(play(...events, { kind: "tab_selected", id: "x" }).state.shown).toBe("b");
  });

  test("tells viewers what changed, and nothing when nothing did", () => {
    const { state } = play(opened("a"), audience(1));
    const changed: CastEvent = { kind: "tab_changed", tab: tab("a", "A title") };
    const told = stepCast(state, changed);
    expect(told.effects).toEqual([{ kind: "tell" }]);
    expect(stepCast(told.state, changed).effects).toEqual([]);
    expect(stepCast(state, { kind: "loading", isLoading: false }).effects).toEqual([]);
    expect(stepCast(state, { kind: "loading", isLoading: true }).effects).toEqual([{ kind: "tell" }]);
  });

  test("has no tab to show once all are closed", () => {
    const { state } = play(opened("a"), audience(1), { kind: "tab_closed", id: "a" });
    expect({ shown: state.shown, casting: state.casting, tabs: state.tabs }).toEqual({
      shown: undefined,
      casting: undefined,
      tabs: [],
    });
  });
});
