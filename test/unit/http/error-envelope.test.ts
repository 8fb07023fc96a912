/** Errors come in the one envelope, and say nothing of the machine that the service runs on. */
import { describe, expect, test } from "vitest";
import { ERRORS } from "../../../src/core/errors.ts";
import { openPage } from "../../../src/content/page-view.ts";
import { testApp } from "../../fakes/services/test-app.ts";
import { testDeps } from "../../fakes/services/test-deps.ts";

const ID = "0197f6a0-7c00-7abc-8def-0123456789ab";
const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
/** A file of the host, or a line of a stack. */
const OF_THE_HOST =
  /(?:^|[\s"'(=])\/(?:work|home|root|tmp|usr|var|etc|app|opt|srv|mnt|Users)\/|file:\/\/|node:internal|node_modules|\bat \S+ \(|\.[cm]?[jt]s:\d+/;

const refusing = testDeps({
  browserSessions: { authorize: async () => ({ kind: "refused", reason: "unknown" }) } as never,
});

describe("an error is in the envelope", () => {
  test.each(["/v0/x", "/v1/x", "/v2/x", "/x", `/view/${ID}`])(
    "at %s, for a client that does not ask for a page",
    async (path) => {
      const response = await testApp(refusing).ask(path);
      expect(response.headers.get("content-type")).toContain("application/json");
      expect(await response.json()).toMatchObject({ success: false, error: expect.any(String) });
      expect([404, 501]).toContain(response.status);
    },
  );

  test("and is a page for a browser where the address is one of a page", async () => {
    const response = await testApp(refusing).ask(`/view/${ID}`, { headers: { Accept: BROWSER } });
    expect(response.status).toBe(404);
    expect(response.headers.get("content-type")).toContain("text/html");
  });

  test("for an address that is too long", async () => {
    const response = await testApp().ask(`/v2/activity?cursor=${"x".repeat(20_000)}`);
    expect(response.status).toBe(414);
    expect(await response.json()).toMatchObject({ success: false, code: "URL_TOO_LONG" });
  });
});

describe("no answer names a file of the host or shows a stack", () => {
  const thrower = (error: unknown) =>
    testDeps({ keys: new Proxy({}, { get: () => () => Promise.reject(error) }) as never });
  const failing = new Error("ENOENT: no such file or directory, open '/srv/orbweaver/key.db'");

  test.each([
    { why: "broken JSON", path: "/v2/scrape", body: '{"url": /etc/passwd', deps: testDeps() },
    { why: "a body of the wrong kind", path: "/v2/scrape", body: "[1]", deps: testDeps() },
    { why: "an address of a file", path: "/v2/scrape", body: '{"url":"ftp:x"}', deps: testDeps() },
    {
      why: "options that are none",
      path: "/v2/scrape",
      body: '{"url":"https://a.example","formats":["nothing"],"x":1}',
      deps: testDeps(),
    },
    { why: "an engine that is missing", path: "/v2/scrape", body: '{"url":"https://a.example"}', deps: testDeps() },
    { why: "a store that fails", path: "/v2/scrape", body: '{"url":"https://a.example"}', deps: thrower(failing) },
    {
      why: "a store that throws a text",
      path: "/v2/crawl",
      body: '{"url":"https://a.example"}',
      deps: thrower(String(failing.stack)),
    },
    {
      why: "a sandbox that is missing",
      path: `/v2/browser/${ID}/execute`,
      body: '{"code":"throw 1"}',
      deps: testDeps(),
    },
    { why: "a path that is none", path: "/v2/..%2f..%2fetc/passwd%00", body: "{}", deps: testDeps() },
  ])("for $why", async ({ path, body, deps }) => {
    const response = await testApp(deps).ask(path, {
      method: "POST",
      body,
      headers: { "Content-Type": "application/json" },
    });
    const text = await response.text();
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(JSON.parse(text)).toMatchObject({ success: false });
    expect(text.replace(path, "").replaceAll("/etc/passwd", "")).not.toMatch(OF_THE_HOST);
  });

  test.each([
    { kind: "pdf", type: "application/pdf", name: "a.pdf", start: "%PDF-1.7\n" },
    {
      kind: "docx",
      type: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      name: "a.docx",
      start: "PK\u0003\u0004",
    },
    {
      kind: "xlsx",
      type: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
      name: "a.xlsx",
      start: "PK\u0003\u0004",
    },
    { kind: "doc", type: "application/msword", name: "a.doc", start: "\u00d0\u00cf\u0011\u00e0" },
    { kind: "rtf", type: "application/rtf", name: "a.rtf", start: "{\\rtf1 " },
  ])("for a broken $kind", async ({ type, name, start }) => {
    const body = Uint8Array.from(`${start}${"broken ".repeat(50)}`, (letter) => letter.charCodeAt(0));
    const loaded = {
      engine: "fetch" as const,
      url: `https://a.example/${name}`,
      statusCode: 200,
      headers: {},
      contentType: type,
      body,
      warnings: [],
    };
    const said = await openPage(loaded, {
      clean: { onlyMainContent: true, includeTags: [], excludeTags: [] },
      pdf: { mode: "auto" },
      bytesOnly: false,
    }).then(
      (page) => JSON.stringify([page.document?.warning, page.budget.warning, loaded.warnings]),
      (error: unknown) => String(error instanceof Error ? error.message : error),
    );
    expect(said).not.toMatch(OF_THE_HOST);
  });

  test("in any message of the table", () => {
    for (const { message } of Object.values(ERRORS)) expect(message).not.toMatch(OF_THE_HOST);
  });
});
