import { describe, expect, inject, test } from "vitest";
import type { Action } from "../../../src/core/scrape/actions.ts";
import { browserRequest, loadPage, testBrowser } from "./browser-helpers.ts";
import { given } from "../../fakes/given.ts";
import { shortAndLong } from "../../sample.ts";

const site = inject("siteUrl");

const click = (selector: string, all = false): Action => ({ type: "click", selector, all });
const script = (text: string): Action => ({ type: "executeJavascript", script: text });
const pdf = (more: object = {}): Action => ({ type: "pdf", landscape: false, scale: 1, format: "Letter", ...more });

const outputOf = (html: string, id: string): string | undefined =>
  new RegExp(`<output id="${id}">([^<]*)<`).exec(html)?.[1]?.trim();

describe("actions change the page", () => {
  for (const { tags, entries } of shortAndLong<{
    what: string;
    path: string;
    actions: Action[];
    text: string | RegExp;
  }>(
    [
      {
        what: "click: one element, with what it then loads",
        path: "/app/click",
        actions: [click("#open")],
        text: /class="found">[^<]{5}/,
      },
      { what: "click: the first match", path: "/app/buttons", actions: [click(".shutter")], text: "1 open" },
      { what: "click: all matches", path: "/app/buttons", actions: [click(".shutter", true)], text: "5 open" },
      { what: "click: all of none", path: "/app/buttons", actions: [click(".gone", true)], text: "0 open" },
      {
        what: "click: a link, to the page behind it",
        path: "/app/history",
        actions: [click("a[href*=berths]")],
        text: /berths/i,
      },
      {
        what: "wait: for a time",
        path: "/app/navigates?ms=800",
        actions: [{ type: "wait", milliseconds: 1500 }],
        text: "The end of the road",
      },
      {
        what: "wait: for a selector",
        path: "/app/slow?ms=4500",
        actions: [{ type: "wait", selector: "table" }],
        text: "Saint Bride",
      },
      {
        what: "scroll: down",
        path: "/app/scroll?max=60",
        actions: [
          { type: "scroll", direction: "down" },
          { type: "scroll", direction: "down" },
        ],
        text: /[2-6]0 entries/,
      },
      {
        what: "executeJavascript",
        path: "/final",
        actions: [script("document.body.innerHTML = '<p>Rewritten.</p>'")],
        text: "Rewritten.",
      },
    ],
    ({ path }) => /navigates|final/.test(path),
  ))
    test.each(entries)("$what", { tags }, async ({ path, actions, text }) => {
      const { body } = await loadPage(site + path, { actions });
      if (typeof text === "string") expect(body).toContain(text);
      else expect(body).toMatch(text);
    });

  test("a click is a person's, not a script's", async () => {
    const { body } = await loadPage(`${site}/app/buttons`, { actions: [click(".shutter")] });
    expect(body).toContain("<li>herring</li>");
  });

  test("write types into what has the focus, with the events of a keyboard", { tags: ["long"] }, async () => {
    const { body } = await loadPage(`${site}/app/typing`, {
      actions: [click("#line"), { type: "write", text: "Héllo, 潮!" }],
    });
    expect(outputOf(body, "value")).toBe("Héllo, 潮!");
    expect(outputOf(body, "keys")).toMatch(/^H l l o , /);
    expect(outputOf(body, "events")).toMatch(/keydown \d.*keyup \d.*/);
  });

  for (const { tags, entries } of shortAndLong<{ keys: string[]; seen: string }>(
    [
      { keys: ["enter", "Control+A"], seen: "Enter Ctrl+Control Ctrl+A" },
      { keys: ["Enter"], seen: "Enter" },
      { keys: ["ArrowDown"], seen: "ArrowDown" },
      { keys: ["a"], seen: "a" },
    ],
    ({ keys }) => keys.length > 1,
  ))
    test.each(entries)("press $keys", { tags }, async ({ keys, seen }) => {
      const { body } = await loadPage(`${site}/app/typing`, {
        actions: [click("#line"), ...keys.map((key): Action => ({ type: "press", key }))],
      });
      expect(outputOf(body, "keys")).toBe(seen);
    });

  test("press Enter sends what was written", { tags: ["long"] }, async () => {
    const actions: Action[] = [click("#line"), { type: "write", text: "berth 4" }, { type: "press", key: "Enter" }];
    expect(outputOf((await loadPage(`${site}/app/typing`, { actions })).body, "sent")).toBe("berth 4");
  });

  test("scroll moves the page up again, and elements by themselves", { tags: ["long"] }, async () => {
    const list = `document.body.innerHTML = '<div id="box" style="height:100px;overflow:auto"><div style="height:5000px"></div></div><div style="height:9000px"></div>'`;
    const where = script("[scrollY, document.getElementById('box').scrollTop]");
    const scroll = (direction: "up" | "down", selector?: string): Action => ({
      type: "scroll",
      direction,
      ...(selector === undefined ? {} : { selector }),
    });
    const actions = [script(list), scroll("down"), where, scroll("up"), where, scroll("down", "#box"), where];
    const { actions: done } = await loadPage(`${site}/final`, { actions });
    const [, down, up, box] = given(done).javascriptReturns.map(({ value }) => value);
    expect([down, up, box]).toEqual([
      [1080, 0],
      [0, 0],
      [0, 100],
    ]);
  });
});

describe("actions bring things back", () => {
  test("scrape: address and HTML at that moment, in their order", async () => {
    const actions: Action[] = [{ type: "scrape" }, click("a[href*=crew]"), { type: "scrape" }];
    const { scrapes } = given((await loadPage(`${site}/app/history`, { actions })).actions);
    expect(scrapes.map(({ url }) => url)).toEqual([`${site}/app/history`, `${site}/app/history/crew`]);
    expect(given(scrapes[0]).html).toContain("<html");
    expect(given(scrapes[0]).html).not.toBe(given(scrapes[1]).html);
  });

  const RESULTS: { text: string; result: { type: string; value: unknown } }[] = [
    { text: "document.title", result: { type: "string", value: "The end of the road" } },
    { text: "1 + 1", result: { type: "number", value: 2 } },
    { text: "return 'returned'", result: { type: "string", value: "returned" } },
    { text: "const a = 3; a * 2", result: { type: "number", value: 6 } },
    {
      text: "({ a: [1, null], b: { c: true } })",
      result: { type: "object", value: { a: [1, null], b: { c: true } } },
    },
    { text: "[1, 2]", result: { type: "array", value: [1, 2] } },
    { text: "null", result: { type: "null", value: null } },
    { text: "undefined", result: { type: "undefined", value: null } },
    { text: "Promise.resolve('later')", result: { type: "string", value: "later" } },
    { text: "await Promise.resolve(5); return 6", result: { type: "number", value: 6 } },
    { text: "await Promise.resolve(7)", result: { type: "number", value: 7 } },
    { text: "const kept = await 8; var shown = kept", result: { type: "undefined", value: null } },
    { text: "kept + shown", result: { type: "number", value: 16 } },
    { text: `${" ".repeat(300_000)} return await 9`, result: { type: "number", value: 9 } },
    { text: "-0", result: { type: "number", value: "-0" } },
    { text: "10n", result: { type: "bigint", value: "10" } },
    { text: "NaN", result: { type: "number", value: "NaN" } },
    { text: "const own = {}; own.self = own; own", result: { type: "object", value: { self: "[Circular]" } } },
    {
      text: "document.querySelector('title')",
      result: { type: "object", value: "<title>The end of the road</title>" },
    },
    { text: "new Map([['k', 1n]])", result: { type: "object", value: { k: "1" } } },
  ];
  test("executeJavascript: what each script returns, in their order", async () => {
    const { actions } = await loadPage(`${site}/final`, { actions: RESULTS.map(({ text }) => script(text)) });
    expect(given(actions).javascriptReturns).toEqual(RESULTS.map(({ result }) => result));
  });

  test("screenshot: a picture of that moment, in the options' shape", { tags: ["long"] }, async () => {
    const actions: Action[] = [
      { type: "screenshot", fullPage: false },
      { type: "screenshot", fullPage: true, quality: 30, viewport: { width: 500, height: 400 } },
    ];
    const { screenshots } = given((await loadPage(`${site}/final`, { actions })).actions);
    expect(screenshots.map(({ contentType }) => contentType)).toEqual(["image/png", "image/jpeg"]);
  });

  const PAPERS: { what: string; action: Action; box: [number, number] }[] = [
    { what: "Letter", action: pdf(), box: [612, 792] },
    {
      what: "A4, also as generatePDF",
      action: { ...pdf({ format: "A4" }), type: "generatePDF" } as Action,
      box: [595, 842],
    },
    { what: "Letter across", action: pdf({ landscape: true }), box: [792, 612] },
    { what: "Tabloid", action: pdf({ format: "Tabloid" }), box: [792, 1224] },
  ];
  test("pdf: Letter, A4, also as generatePDF, Letter across and Tabloid", async () => {
    const { pdfs } = given((await loadPage(`${site}/final`, { actions: PAPERS.map(({ action }) => action) })).actions);
    expect(pdfs).toHaveLength(PAPERS.length);
    for (const [at, { what, box }] of PAPERS.entries()) {
      const text = new TextDecoder("latin1").decode(given(pdfs[at]).bytes);
      expect(text).toMatch(/^%PDF-/);
      const [, width, height] = given(/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)\]/.exec(text));
      expect(Math.abs(Number(width) - box[0]) + Math.abs(Number(height) - box[1]), what).toBeLessThan(3);
    }
  });

  test("pdf: scale changes how much fits on a page", { tags: ["long"] }, async () => {
    const actions = [pdf({ scale: 0.5 }), pdf({ scale: 2 })];
    const { pdfs } = given((await loadPage(`${site}/many-links?n=600`, { actions })).actions);
    const [half, double] = pdfs.map(
      ({ bytes }) => (new TextDecoder("latin1").decode(bytes).match(/\/Type\s*\/Page\b/g) ?? []).length,
    );
    expect(given(half)).toBeLessThan(given(double));
  });
});

describe("an action that fails ends the load and says which one and why", () => {
  for (const { tags, entries } of shortAndLong<{ actions: Action[]; message: RegExp }>(
    [
      { actions: [click("#missing")], message: /^Action 0 \(click\) failed: nothing matches the selector #missing$/ },
      { actions: [script("1"), click("a[")], message: /^Action 1 \(click\) failed: .*not a valid selector/ },
      { actions: [click("a[", true)], message: /^Action 0 \(click\) failed: .*not a valid selector/ },
      { actions: [{ type: "write", text: "x" }], message: /^Action 0 \(write\) failed: no element has the focus/ },
      { actions: [{ type: "press", key: "Banana" }], message: /^Action 0 \(press\) failed: there is no key "Banana"$/ },
      { actions: [{ type: "press", key: "Foo+A" }], message: /there is no modifier key "Foo"/ },
      {
        actions: [{ type: "scroll", direction: "down", selector: "#no" }],
        message: /^Action 0 \(scroll\) failed: nothing matches/,
      },
      {
        actions: [script("throw new Error('on purpose')")],
        message: /^Action 0 \(executeJavascript\) failed: Error: on purpose$/,
      },
      { actions: [script("let let = 1")], message: /^Action 0 \(executeJavascript\) failed: SyntaxError/ },
      { actions: [script("'x'.repeat(100e6)")], message: /result is too long \(100000002 characters\)/ },
      { actions: [script("throw new Error('x'.repeat(40e6))")], message: /Error: x{990}/ },
      { actions: [script("Promise.reject(new Error('x'.repeat(40e6)))")], message: /Error: x{990}/ },
    ],
    ({ message }) => !/a valid selector|SyntaxError|modifier|\\\(scroll/.test(message.source),
  ))
    test.each(entries)("$message", { tags }, async ({ actions, message }) => {
      const outcome = await testBrowser().load(browserRequest(`${site}/final`, { actions }));
      expect(outcome).toMatchObject({
        kind: "failed",
        code: "SCRAPE_ACTION_ERROR",
        message: expect.stringMatching(message),
      });
    });

  for (const { tags, entries } of shortAndLong<{ what: string; action: Action }>(
    [
      { what: "a selector that never comes", action: { type: "wait", selector: "#never" } },
      { what: "a script without end", action: script("for (;;);") },
      { what: "a promise that nobody keeps", action: script("new Promise(() => {})") },
    ],
    ({ what }) => !/promise/.test(what),
  ))
    test.each(entries)("in time: $what", { tags }, async ({ action }) => {
      const startMs = Date.now();
      const request = browserRequest(`${site}/final`, { actions: [action], deadlineMs: startMs + 2_500 });
      const outcome = await testBrowser().load(request);
      expect(outcome).toMatchObject({ kind: "failed" });
      expect(Date.now() - startMs).toBeLessThan(8_000);
    });
});
