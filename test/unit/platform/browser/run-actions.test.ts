import { expect, test } from "vitest";
import type { Action } from "../../../../src/core/scrape/actions.ts";
import { executeScript } from "../../../../src/platform/browser/actions/execute-script.ts";
import { OutputRoom } from "../../../../src/platform/browser/actions/output-room.ts";
import { runActions } from "../../../../src/platform/browser/actions/run-actions.ts";
import { LoadEnd } from "../../../../src/platform/browser/page/load-end.ts";
import { PageActivity } from "../../../../src/platform/browser/page/page-activity.ts";
import type { PageSession } from "../../../../src/platform/browser/page/page-session.ts";

const PDF_CHUNK = Buffer.alloc(1_000_000).toString("base64");

/** A page whose scripts have a value of this JSON, whose HTML is `html`, and whose PDF has `chunks` of 1 MB. */
function pageOf({ json = "null", html = "", chunks = 1 }: { json?: unknown; html?: string; chunks?: number }) {
  let read = 0;
  const send = async (method: string): Promise<unknown> => {
    if (method === "Runtime.evaluate") return { result: { type: "object", objectId: "1" } };
    if (method === "Page.printToPDF") return { stream: "1" };
    if (method !== "IO.read") return {};
    read += 1;
    return { data: PDF_CHUNK, base64Encoded: true, eof: read % chunks === 0 };
  };
  const { signal } = new AbortController();
  const connection = { send, onEvent: () => undefined };
  const calls = {
    call: async () => ({ url: "https://example.com/", html }),
    callOn: async () => ({ type: "array", json }),
  };
  // Actions use no more of a page than this.
  const parts = { send, trySend: send, connection, ids: {}, signal, ...calls };
  const page = { ...parts, remainingMs: () => 60_000, sleep: async () => undefined };
  return { page: page as unknown as PageSession, read: () => read };
}

const run = (page: PageSession, actions: readonly Action[]) =>
  runActions(actions, { page, activity: new PageActivity(page), mobile: false, warnings: [] });

const TOO_LARGE = /^Action \d+ \((\w+)\) failed: the results of the actions are together larger than 50 MB$/;
const pdf: Action = { type: "pdf", landscape: false, scale: 1, format: "A4" };

test.each<{ what: string; page: PageSession; actions: Action[] }>([
  {
    what: "pages",
    page: pageOf({ html: "x".repeat(10_000_000) }).page,
    actions: Array.from({ length: 6 }, () => ({ type: "scrape" }) as const),
  },
  { what: "PDFs", page: pageOf({ chunks: 20 }).page, actions: [pdf, pdf, pdf] },
])("the outputs of all actions have one limit: $what", async ({ page, actions }) => {
  await expect(run(page, actions)).rejects.toMatchObject({
    outcome: { code: "SCRAPE_ACTION_ERROR", message: expect.stringMatching(TOO_LARGE) },
  });
});

test("the values of a script count before they are parsed, by the memory that they take", async () => {
  // A parser would refuse it.
  const json = `[${"{},".repeat(900_000)}`;
  const { page } = pageOf({ json });
  const outcome = run(page, [{ type: "executeJavascript", script: "1" }]);
  await expect(outcome).rejects.toThrow(TOO_LARGE);
  await expect(outcome).rejects.toBeInstanceOf(LoadEnd);
});

test("a PDF is read no further than there is room for it", async () => {
  const { page, read } = pageOf({ chunks: 200 });
  await expect(run(page, [pdf])).rejects.toThrow(TOO_LARGE);
  expect(read()).toBe(51);
});

test("a page that changed how texts are made from values has none", async () => {
  const { page } = pageOf({ json: { length: 1 } });
  expect(await executeScript(page, "1", new OutputRoom())).toEqual({ type: "array", value: null });
});

test("a value of a script has at most a thousand levels, since a deeper one cannot be written again", async () => {
  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  const valueOf = (levels: number) => executeScript(pageOf({ json: nested(levels) }).page, "1", new OutputRoom());
  expect(JSON.stringify((await valueOf(1_000)).value)).toBe(nested(1_000));
  await expect(valueOf(1_001)).rejects.toThrow("the result has more than 1000 levels");
});
