import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { signWebhook } from "../../../../src/services/webhooks/sign-webhook.ts";

const SECRET = "ein Geheimnis für Webhooks";
const BODY = new TextEncoder().encode('{"success":true,"id":"1"}');
const NOW_MS = Date.parse("2026-11-22T12:00:00.900Z");

type Verify = (secret: string, headers: Record<string, string>, body: Uint8Array) => boolean;

/** The example of the documentation, as its readers will run it. */
async function documentedVerify(): Promise<Verify> {
  const text = readFileSync(join(import.meta.dirname, "../../../../src/docs/endpoints/webhooks.md"), "utf8");
  const [, code = ""] = /```js\n(.*?)```/s.exec(text) ?? [];
  const source = `data:text/javascript,${encodeURIComponent(code)}`;
  return ((await import(/* @vite-ignore */ source)) as { verify: Verify }).verify;
}

const signed = (nowMs = NOW_MS, secret = SECRET) =>
  signWebhook(secret, { webhookId: "event-1", body: BODY, nowMs }) as Promise<Record<string, string>>;

describe("the headers of an event", () => {
  test("hold the signature that Firecrawl's clients verify, over the body alone", async () => {
    const expected = createHmac("sha256", SECRET).update(BODY).digest("hex");
    expect((await signed())["x-firecrawl-signature"]).toBe(`sha256=${expected}`);
  });

  test("hold a signature of id, second and body", async () => {
    const headers = await signed();
    expect(headers).toMatchObject({ "webhook-id": "event-1", "webhook-timestamp": "1795348800" });
    const expected = createHmac("sha256", SECRET).update("event-1.1795348800.").update(BODY).digest();
    const given = Buffer.from(String(headers["webhook-signature"]).slice("v1,".length), "base64");
    expect(timingSafeEqual(given, expected)).toBe(true);
  });

  test("are made with the decoded secret when that is one of Standard Webhooks", async () => {
    const key = Buffer.from("0123456789abcdef0123456789abcdef");
    const headers = await signed(NOW_MS, `whsec_${key.toString("base64")}`);
    const expected = createHmac("sha256", key).update("event-1.1795348800.").update(BODY).digest("base64");
    expect(headers["webhook-signature"]).toBe(`v1,${expected}`);
  });
});

describe("the example of the documentation", () => {
  test("takes an event of now, and none that was changed, is signed otherwise, or is old", async () => {
    const verify = await documentedVerify();
    const now = await signed(Date.now());
    expect(verify(SECRET, now, BODY)).toBe(true);
    expect(verify(SECRET, now, BODY.slice(1))).toBe(false);
    expect(verify("another secret", now, BODY)).toBe(false);
    expect(verify(SECRET, { ...now, "webhook-id": "event-2" }, BODY)).toBe(false);
    expect(verify(SECRET, await signed(Date.now() - 301_000), BODY)).toBe(false);
    expect(verify(SECRET, { ...now, "webhook-timestamp": "x" }, BODY)).toBe(false);
  });
});
