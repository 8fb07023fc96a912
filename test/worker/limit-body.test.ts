import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { Meter } from "../../src/core/account/meter.ts";
import { createKeyLedger } from "../../src/platform/account/key-ledger-port.ts";
import type { ServiceSettings } from "../../src/services/deps.ts";
import { testApp } from "../fakes/services/test-app.ts";
import { DEFAULT_TEAM_ID } from "../../src/services/account/bootstrap-keys.ts";
import { ADMIN_KEY, testDeps } from "../fakes/services/test-deps.ts";

const JSON_TYPE: Record<string, string> = { "Content-Type": "application/json" };
const NO_TYPE: Record<string, string> = {};
const encode = (text: string) => new TextEncoder().encode(text);

/** A body in chunks, as one without a length arrives. */
function chunks(...parts: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      const part = parts.shift();
      if (part === undefined) controller.close();
      else controller.enqueue(part);
    },
  });
}

/** The service with the ledger of keys that workerd runs. */
function app(settings: Partial<ServiceSettings> = {}) {
  return testApp(testDeps({ keyLedger: createKeyLedger(env.KEY_LEDGER, new Meter()), settings }));
}

// How a request is made anew from one whose body was read differs between runtimes; these hold in the one that counts.
describe("in workerd, a body", () => {
  test.each([
    { why: "in chunks", body: () => chunks(encode('{"na'), encode('me":"a"}')), headers: JSON_TYPE, status: 200 },
    { why: "without a type", body: () => encode('{"name":"a"}'), headers: NO_TYPE, status: 200 },
    { why: "of another type", body: () => '{"name":"a"}', headers: { "Content-Type": "text/plain" }, status: 415 },
    {
      why: "that is packed",
      body: () => encode("{}"),
      headers: { ...JSON_TYPE, "Content-Encoding": "gzip" },
      status: 415,
    },
    { why: "that is malformed", body: () => "{", headers: JSON_TYPE, status: 400 },
    { why: "that is empty", body: () => "", headers: JSON_TYPE, status: 400 },
    { why: "that is an empty stream", body: () => chunks(), headers: JSON_TYPE, status: 400 },
    { why: "that is missing", body: () => null, headers: JSON_TYPE, status: 400 },
    {
      why: "in chunks over 10 MB",
      body: () => chunks(...Array.from({ length: 11 }, () => new Uint8Array(1024 * 1024))),
      headers: JSON_TYPE,
      status: 413,
    },
  ])("$why answers $status", async ({ body, headers, status }) => {
    const { ask } = app();
    const response = await ask("/v2/team/keys", { key: ADMIN_KEY, method: "POST", body: body(), headers });
    expect(response.status).toBe(status);
    expect(await response.json()).toHaveProperty("success", status === 200);
  });

  test.each([
    { why: "that drips", pauseMs: 50, bytes: 1, count: 100, status: 408 },
    { why: "that stops", pauseMs: 60_000, bytes: 1, count: 2, status: 408 },
    { why: "that is long and slow", pauseMs: 50, bytes: 16_000, count: 12, status: 200 },
  ])("$why answers $status", async ({ pauseMs, bytes, count, status }) => {
    const { ask } = app({ bodyTimeMs: 300 });
    const name = '{"name":"a"}';
    let sent = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (sent > 0) await new Promise<void>((resolve) => (timer = setTimeout(resolve, pauseMs)));
        if (sent === count) return controller.close();
        controller.enqueue(encode(sent++ === 0 ? name : " ".repeat(bytes)));
      },
      cancel: () => clearTimeout(timer),
    });
    const init = { key: ADMIN_KEY, method: "POST", body, headers: JSON_TYPE };
    const response = await ask("/v2/team/keys", init);
    expect(response.status).toBe(status);
    if (status === 408) expect(await response.json()).toMatchObject({ success: false, code: "REQUEST_TIMEOUT" });
  });

  test.each([
    { why: "a form in chunks of more than a file has", boundary: "a-line", mib: 52, status: 413 },
    { why: "a form in chunks without a file", boundary: "a-line", mib: 1, status: 400 },
  ])("$why answers $status", async ({ boundary, mib, status }) => {
    const { ask, deps } = app();
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="data"; filename="a.txt"\r\n\r\n`;
    const pieces = Array.from({ length: mib }, () => new Uint8Array(1024 * 1024));
    const body = chunks(encode(head), ...pieces, encode(`\r\n--${boundary}--\r\n`));
    const headers = { "Content-Type": `multipart/form-data; boundary=${boundary}` };
    const response = await ask("/v2/parse", { key: ADMIN_KEY, method: "POST", body, headers });
    expect(response.status).toBe(status);
    expect(deps.memory.bytesOf(DEFAULT_TEAM_ID)).toBe(0);
  });

  test("that is long is parsed once, and its name read from its value", async () => {
    const body = encode(JSON.stringify({ name: "a", more: "x".repeat(200_000) }));
    for (const sent of [body, chunks(body.slice(0, 100_000), body.slice(100_000))]) {
      const { ask } = app();
      const response = await ask("/v2/team/keys", { key: ADMIN_KEY, method: "POST", body: sent, headers: JSON_TYPE });
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { error: expect.stringContaining('"more"') },
      ]);
    }
  });

  test("on DELETE is ignored", async () => {
    const { ask } = app();
    const init = { key: ADMIN_KEY, method: "DELETE", body: '{"integration":"n8n"}', headers: JSON_TYPE };
    expect((await ask("/v2/team/keys/none", init)).status).toBe(404);
  });
});
