import { describe, expect, test } from "vitest";
import { toInputCommand, type InputMessage } from "../../../../src/sessions/live-view/input-commands.ts";
import { readViewerMessage } from "../../../../src/sessions/live-view/viewer-message.ts";

const VIEWPORT = { width: 1000, height: 500 };

/** What a driver's message becomes for the page. */
function commandFor(message: object) {
  const read = readViewerMessage(JSON.stringify(message), "drive");
  if (read.kind !== "drive") throw new Error(`${read.kind}: ${JSON.stringify(message)}`);
  // The cases below are all input.
  return toInputCommand(read.message as InputMessage, VIEWPORT);
}

describe("input", () => {
  test.each([
    {
      what: "a press of the mouse",
      message: { type: "mouse", kind: "down", x: 0.5, y: 0.1, button: "left", buttons: 1, clicks: 2, modifiers: 8 },
      params: { type: "mousePressed", x: 500, y: 50, button: "left", buttons: 1, clickCount: 2, modifiers: 8 },
    },
    {
      what: "a move to the very edge, which is still inside",
      message: { type: "mouse", kind: "move", x: 1, y: 1 },
      params: { type: "mouseMoved", x: 999, y: 499, button: "none" },
    },
    {
      what: "a turn of the wheel",
      message: { type: "wheel", x: 0, y: 0, deltaX: 0, deltaY: -120 },
      params: { type: "mouseWheel", x: 0, y: 0, deltaX: 0, deltaY: -120 },
    },
    {
      what: "a finger that is put down",
      message: { type: "touch", kind: "start", points: [{ id: 3, x: 0.1, y: 0.2 }] },
      params: { type: "touchStart", touchPoints: [{ x: 100, y: 100, id: 3 }] },
    },
    {
      what: "one of two fingers that is lifted",
      message: { type: "touch", kind: "end", points: [{ id: 4, x: 0, y: 0 }] },
      params: { type: "touchMove", touchPoints: [{ x: 0, y: 0, id: 4 }] },
    },
    {
      what: "the last finger that is lifted",
      message: { type: "touch", kind: "end", points: [] },
      params: { type: "touchEnd", touchPoints: [] },
    },
    {
      what: "a letter",
      message: { type: "key", kind: "down", key: "é", code: "KeyE", keyCode: 69 },
      params: { type: "keyDown", key: "é", text: "é", windowsVirtualKeyCode: 69 },
    },
    {
      what: "a letter of a pair of code units",
      message: { type: "key", kind: "down", key: "𝒜", code: "", keyCode: 0 },
      params: { type: "keyDown", text: "𝒜" },
    },
    {
      what: "Enter, which writes a carriage return",
      message: { type: "key", kind: "down", key: "Enter", code: "Enter", keyCode: 13 },
      params: { type: "keyDown", text: "\r" },
    },
    {
      what: "AltGr, which writes",
      message: { type: "key", kind: "down", key: "@", code: "KeyQ", keyCode: 81, modifiers: 3 },
      params: { type: "keyDown", text: "@", modifiers: 3 },
    },
    {
      what: "a key of the numeric pad",
      message: { type: "key", kind: "down", key: "7", code: "Numpad7", keyCode: 103, location: 3, isRepeat: true },
      params: { isKeypad: true, autoRepeat: true, text: "7" },
    },
    {
      what: "what an input method is working on",
      message: { type: "compose", text: "にほ" },
      params: { text: "にほ", selectionStart: 2, selectionEnd: 2 },
    },
    { what: "a settled text", message: { type: "text", text: "日本" }, params: { text: "日本" } },
  ])("carries over $what", ({ message, params }) => {
    expect(commandFor(message).params).toMatchObject(params);
  });

  test.each([
    { what: "Control and a letter", key: "a", modifiers: 2 },
    { what: "Meta and a letter", key: "a", modifiers: 4 },
    { what: "Control, Shift and a letter", key: "A", modifiers: 10 },
    { what: "a key with a name", key: "ArrowLeft", modifiers: 0 },
  ])("writes nothing for $what", ({ key, modifiers }) => {
    const { params } = commandFor({ type: "key", kind: "down", key, code: "KeyA", keyCode: 65, modifiers });
    expect(params).toMatchObject({ type: "rawKeyDown" });
    expect(params).not.toHaveProperty("text");
  });

  test("writes nothing when a key is let go", () => {
    const { params } = commandFor({ type: "key", kind: "up", key: "a", code: "KeyA", keyCode: 65 });
    expect(params).toMatchObject({ type: "keyUp" });
    expect(params).not.toHaveProperty("text");
  });
});

describe("a viewer's message", () => {
  const drives = [
    { type: "mouse", kind: "down", x: 0, y: 0 },
    { type: "wheel", x: 0, y: 0, deltaX: 1, deltaY: 1 },
    { type: "touch", kind: "start", points: [] },
    { type: "key", kind: "down", key: "a", code: "KeyA", keyCode: 65 },
    { type: "text", text: "a" },
    { type: "compose", text: "a" },
    { type: "copy" },
    { type: "navigate", url: "https://example.com" },
    { type: "history", step: -1 },
    { type: "reload" },
    { type: "stop" },
    { type: "tab", action: "select", id: "x" },
    { type: "tab", action: "open" },
    { type: "dialog", accept: true },
    { type: "choose", indexes: [1] },
  ];

  test.each(drives)("that steers ($type) is taken from drivers alone", (message) => {
    expect(readViewerMessage(JSON.stringify(message), "drive").kind).toBe("drive");
    expect(readViewerMessage(JSON.stringify(message), "view")).toEqual({ kind: "refused" });
  });

  test.each([{ type: "ping" }, { type: "painted", frame: 3 }])(
    "that only watches ($type) is taken from all",
    (message) => {
      expect(readViewerMessage(JSON.stringify(message), "view").kind).toBe("watch");
      expect(readViewerMessage(JSON.stringify(message), "drive").kind).toBe("watch");
    },
  );

  test.each([
    { why: "no JSON", text: "{" },
    { why: "no known type", text: '{"type":"Runtime.evaluate"}' },
    { why: "a place outside of the picture", text: '{"type":"mouse","kind":"down","x":2,"y":0}' },
    { why: "a button that no mouse has", text: '{"type":"mouse","kind":"down","x":0,"y":0,"button":"paw"}' },
    { why: "an endless address", text: JSON.stringify({ type: "navigate", url: "x".repeat(20_000) }) },
  ])("with $why is none", ({ text }) => {
    expect(readViewerMessage(text, "drive")).toEqual({ kind: "unknown" });
  });
});
