import { expect, test } from "vitest";
import { parseSnapshot } from "../../../src/sandbox/agent-browser/parse-snapshot.ts";

const PAGE = `- generic [active] [ref=e1]:
  - heading "Sign in" [level=1] [ref=e2]
  - 'link "Help: more" [ref=e3] [cursor=pointer]':
    - /url: /help
  - textbox "Name" [ref=e4]: halloran
  - button "Save" [ref=e5]
  - button "Save" [ref=e6]
  - generic [ref=e7] [cursor=pointer]: Menu
  - paragraph [ref=e8]: Just text
  - iframe [ref=e9]:
    - button "Save" [ref=f1e2]
  - iframe [ref=e10]:
    - textbox "He said \\"ahoy\\"" [ref=f2e2]
  - checkbox "Lamp" [checked] [ref=e11]`;

const options = { interactiveOnly: false, compact: false, maxDepth: Infinity };

test("names what can be acted on, and remembers how to find it", () => {
  const { text, refs } = parseSnapshot(PAGE, { ...options, interactiveOnly: true });
  expect(text.split("\n")).toEqual([
    '- link "Help: more" [ref=e1]',
    '- textbox "Name" [ref=e2]: halloran',
    '- button "Save" [ref=e3]',
    '- button "Save" [ref=e4]',
    "- generic [ref=e5]: Menu",
    '- button "Save" [ref=e6]',
    '- textbox "He said \\"ahoy\\"" [ref=e7]',
    '- checkbox "Lamp" [ref=e8] [checked]',
  ]);
  expect(refs).toMatchObject({
    e1: { role: "link", name: "Help: more", nth: 0, frames: [] },
    e3: { role: "button", name: "Save", nth: 0, frames: [] },
    e4: { role: "button", name: "Save", nth: 1, frames: [] },
    e5: { role: "text", name: "Menu", nth: 0, frames: [] },
    e6: { role: "button", name: "Save", nth: 0, frames: [0] },
    e7: { role: "textbox", name: 'He said "ahoy"', nth: 0, frames: [1] },
    e8: { role: "checkbox", name: "Lamp", nth: 0, frames: [] },
  });
});

test("counts elements that take no clicks, which locators find as well", () => {
  const page = `- button "Save"
- button "Save" [ref=e1]
- generic [ref=e2]: More
- text: More
- heading "More" [ref=e3]
- generic [ref=e4] [cursor=pointer]: More`;
  const { text, refs } = parseSnapshot(page, { ...options, interactiveOnly: true });
  expect(text).toBe('- button "Save"\n- button "Save" [ref=e1]\n- generic [ref=e2]: More');
  expect(refs).toEqual({
    e1: { role: "button", name: "Save", nth: 1, frames: [], driverRef: "e1" },
    e2: { role: "text", name: "More", nth: 3, frames: [], driverRef: "e4" },
  });
});

test("names the frames, in which other elements have other places", () => {
  expect(parseSnapshot(PAGE, options).iframes).toEqual([
    { path: [0], driverRef: "e9" },
    { path: [1], driverRef: "e10" },
  ]);
});

test("shows the whole tree, down to a depth", () => {
  const whole = parseSnapshot(PAGE, options).text;
  expect(whole).toContain('  - heading "Sign in" [ref=e1] [level=1]');
  expect(whole).toContain("  - paragraph: Just text");
  expect(parseSnapshot(PAGE, { ...options, maxDepth: 1 }).text).not.toContain("ahoy");
  expect(parseSnapshot(PAGE, { ...options, compact: true }).text.split("\n")[0]).toMatch(/^- heading/);
});

test("an empty page has nothing to show", () => {
  expect(parseSnapshot("", options)).toEqual({ text: "", refs: {}, iframes: [] });
});
