import { describe, expect, test } from "vitest";
import { connectCode, profileCommand, sessionBody } from "../../../src/ui/sessions/session-form.ts";
import { profileOutcome } from "../../../src/ui/sessions/profile-outcome.ts";
import { readAction, toPlaywright, withAction } from "../../../src/ui/sessions/watch/actions.ts";
import type { Action } from "../../../src/ui/sessions/watch/actions.ts";
import { EMPTY_LOG, withEvent } from "../../../src/ui/sessions/watch/watch-log.ts";

describe("the form of a session", () => {
  const form = {
    name: " Shop ",
    url: "https://example.com",
    viewport: "390x844",
    ttl: 600,
    isRecorded: true,
    profile: "",
    savesProfile: true,
  };

  test("becomes a request with the viewport, and the name and profile if there are any", () => {
    expect(sessionBody(form)).toEqual({
      ttl: 600,
      activityTtl: 600,
      streamWebView: true,
      recordSession: true,
      viewport: { width: 390, height: 844 },
      name: "Shop",
    });
    expect(sessionBody({ ...form, name: "", profile: "shop", savesProfile: false })).toMatchObject({
      profile: { name: "shop", saveChanges: false },
    });
  });

  test("shows how the profile and the CDP URL are used, with names that need quotes", () => {
    expect(profileCommand("https://api.example", "it's")).toContain(String.raw`"name":"it'\''s"`);
    expect(connectCode("Playwright", "wss://a/cdp?token=1")).toContain('connectOverCDP("wss://a/cdp?token=1")');
    expect(connectCode("Puppeteer", "wss://a")).toContain('browserWSEndpoint: "wss://a"');
  });
});

describe("the profile of a session that has ended", () => {
  test.each([
    [{ creditsBilled: 2 }, "saved"],
    [{ creditsBilled: 2, warning: "The profile was not saved: the browser has ended." }, "warned"],
    // It had ended before it was deleted.
    [{}, "not saved"],
    [undefined, "not saved"],
  ])("of which the deletion answers %j is %s", (closed, outcome) => {
    expect(profileOutcome(closed, true)).toBe(outcome);
  });

  test("before the view opened is unknown", () => {
    expect(profileOutcome(undefined, false)).toBe("unknown");
  });
});

describe("actions of a person", () => {
  const read = (action: object): Action | undefined => readAction(JSON.stringify(action));
  const field = { by: "label", text: "E-mail" };

  test("become Playwright code, with the latest value of a field and without passwords", () => {
    const actions = [
      { kind: "goto", url: "https://example.com/login" } as const,
      read({ kind: "fill", locator: field, value: "a" }),
      read({ kind: "fill", locator: field, value: 'a "b"' }),
      read({ kind: "fill", locator: { by: "css", text: "#pw" }, value: "", isSecret: true }),
      read({ kind: "check", locator: { by: "label", text: "Remember me" } }),
      read({ kind: "select", locator: { by: "placeholder", text: "Port" }, value: "7" }),
      read({ kind: "press", locator: field, key: "Enter" }),
      read({ kind: "click", locator: { by: "role", role: "button", name: "Log in" } }),
    ].filter((action) => action !== undefined);
    expect(toPlaywright(actions.reduce<readonly Action[]>(withAction, []))).toBe(
      [
        'await page.goto("https://example.com/login");',
        String.raw`await page.getByLabel("E-mail").fill("a \"b\"");`,
        'await page.locator("#pw").fill(process.env.PASSWORD ?? "");',
        'await page.getByLabel("Remember me").check();',
        'await page.getByPlaceholder("Port").selectOption("7");',
        'await page.getByLabel("E-mail").press("Enter");',
        'await page.getByRole("button", { name: "Log in", exact: true }).click();',
      ].join("\n"),
    );
  });

  test.each([
    "",
    "{}",
    '{"kind":"eval","locator":{"by":"css","text":"a"}}',
    '{"kind":"click","locator":{"by":"xpath"}}',
  ])("are not read from %s", (payload) => expect(readAction(payload)).toBeUndefined());
});

describe("what is seen of a session", () => {
  test("is its console, with errors of scripts and of the browser", () => {
    const events: [string, Record<string, unknown>][] = [
      ["Runtime.consoleAPICalled", { type: "log", args: [{ value: "a" }, { value: { b: 1 } }], timestamp: 1 }],
      ["Runtime.exceptionThrown", { exceptionDetails: { exception: { description: "Error: x" } }, timestamp: 2 }],
      ["Log.entryAdded", { entry: { level: "warning", text: "slow", url: "https://a.example/", timestamp: 3 } }],
    ];
    const { console } = events.reduce((log, [method, params]) => withEvent(log, method, params), EMPTY_LOG);
    expect(console).toEqual([
      { level: "info", text: 'a {"b":1}', atMs: 1 },
      { level: "error", text: "Error: x", atMs: 2 },
      { level: "warning", text: "slow (https://a.example/)", atMs: 3 },
    ]);
  });

  test("is its requests, of which the latest thousand are listed", () => {
    const start = (id: number) =>
      ({
        requestId: String(id),
        request: { url: "https://a.example/", method: "GET" },
        type: "Fetch",
        timestamp: id,
      }) as const;
    let log = EMPTY_LOG;
    for (let id = 0; id < 1_100; id++) log = withEvent(log, "Network.requestWillBeSent", start(id));
    expect(log.network).toHaveLength(1_000);
    log = withEvent(log, "Network.responseReceived", { requestId: "1099", response: { status: 404 } });
    log = withEvent(log, "Network.loadingFinished", { requestId: "1099", encodedDataLength: 20, timestamp: 1_099.25 });
    expect(log.network.at(-1)).toMatchObject({ status: 404, bytes: 20, ms: 250 });
    log = withEvent(log, "Network.loadingFailed", {
      requestId: "1098",
      errorText: "net::ERR_FAILED",
      timestamp: 1_098,
    });
    expect(log.network.at(-2)).toMatchObject({ failure: "net::ERR_FAILED", ms: 0 });
    expect(withEvent(log, "Page.loadEventFired", {})).toBe(log);
  });
});
