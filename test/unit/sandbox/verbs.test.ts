import type { Page } from "@cloudflare/playwright";
import { expect, test } from "vitest";
import type { BrowserState, ElementRef } from "../../../src/core/sessions/workspace.ts";
import { locate } from "../../../src/sandbox/agent-browser/locate.ts";
import { runVerb } from "../../../src/sandbox/agent-browser/run-verb.ts";
import type { Hand } from "../../../src/sandbox/agent-browser/verb.ts";

/** A browser with one tab that writes down what is done with it. Hosts named `broken` do not load. */
function browser() {
  const done: string[] = [];
  const tab = (name: string) => ({
    goto: async (url: string) => {
      done.push(`${name} ${url}`);
      if (!URL.canParse(url) || url.includes("broken")) throw new Error(`Cannot navigate to ${url}`);
    },
    close: async () => void done.push(`${name} closed`),
    title: async () => "",
    url: () => "about:blank",
    locator: () => ({
      first: () => ({ selectOption: async (values: string[]) => void done.push(`select ${JSON.stringify(values)}`) }),
    }),
  });
  const pages = [tab("first")];
  const hand = {
    page: pages[0],
    context: { newPage: async () => tab("new"), pages: () => pages },
    state: { refs: {} },
    tabs: async () => pages,
    activate: async () => void done.push("activated"),
  } as unknown as Hand;
  return { done, run: (...args: string[]) => runVerb(async () => hand, args) };
}

test.each([
  ["example.com", "https://example.com"],
  ["example.com/a:80", "https://example.com/a:80"],
  ["example.com:8080", "https://example.com:8080"],
  ["example.com:8080/a", "https://example.com:8080/a"],
  ["example.com:8080?x=1", "https://example.com:8080?x=1"],
  ["example.com:8080#a", "https://example.com:8080#a"],
  ["http://example.com:8080?x=1", "http://example.com:8080?x=1"],
  ["about:blank", "about:blank"],
  ["data:text/html,1", "data:text/html,1"],
])("open %s loads %s, and so does a new tab", async (given, url) => {
  const { done, run } = browser();
  await run("open", given);
  await run("tab", "new", given);
  expect(done).toEqual([`first ${url}`, `new ${url}`, "activated"]);
});

test("a new tab whose page does not load is closed", async () => {
  const { done, run } = browser();
  expect((await run("tab", "new", "broken.example")).exitCode).toBe(1);
  expect(done).toEqual(["new https://broken.example", "new closed"]);
});

test("select takes the empty option, but not none", async () => {
  const { done, run } = browser();
  expect((await run("select", "#buoy", "")).stdout).toBe("Selected\n");
  expect((await run("select", "#buoy")).stderr).toContain("Missing: the option");
  expect(done).toEqual(['select [""]']);
});

/** A page that writes down how an element was located. `known` are the driver's references of this connection. */
function pageWith(known: readonly string[]): Page {
  const located = (how: string): unknown => ({
    how,
    count: async () => (known.some((ref) => how === `aria-ref=${ref}`) ? 1 : 0),
    nth: (index: number) => located(`${how} nth ${index}`),
    filter: (options: object) => located(`${how} ${JSON.stringify(options)}`),
  });
  return {
    locator: located,
    getByRole: (role: string, options: object) => located(`${role} ${JSON.stringify(options)}`),
    getByText: (text: string, options: object) => located(`text ${text} ${JSON.stringify(options)}`),
  } as unknown as Page;
}

test.each<[element: Partial<ElementRef>, known: string[], how: string]>([
  [{ driverRef: "e7" }, ["e7"], "aria-ref=e7"],
  [{ driverRef: "e7" }, [], 'button {"name":"Save","exact":true} nth 2'],
  [{}, ["e7"], 'button {"name":"Save","exact":true} nth 2'],
  [{ name: "", isExact: true }, [], 'button {"includeHidden":true} nth 2'],
  [{ role: "text", name: "More", isExact: true }, [], 'text More {"exact":true} nth 2'],
  [{ role: "text", name: "More" }, [], 'text More {"exact":true} {"visible":true} nth 2'],
])("%j is located, where %j are known, by %s", async (element, known, how) => {
  const refs = { e1: { role: "button", name: "Save", nth: 2, frames: [], ...element } };
  const state: BrowserState = { refs, activeTargetId: undefined, tabs: [] };
  expect(await locate(pageWith(known), state, "@e1")).toMatchObject({ how });
});
