import { expect, test } from "vitest";
import { Meter } from "../../../../src/core/account/meter.ts";
import { createGuardedFetch } from "../../../../src/platform/outbound/guarded-fetch.ts";
import { sendEvent } from "../../../../src/services/webhooks/send-event.ts";
import { testWebhook } from "../../../../src/services/webhooks/webhook-deliveries.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const target = { url: "https://hooks.example/in?token=hush", headers: { Authorization: "Bearer hush" } };

test.each([
  { hasZeroRetention: false, body: "{}", isStored: true },
  { hasZeroRetention: true, body: "{}", isStored: false },
  { hasZeroRetention: false, body: "x".repeat(32_001), isStored: false },
])(
  "an event is signed, and the secrets of its destination are stored only for a replay: $isStored",
  async ({ hasZeroRetention, body, isStored }) => {
    const sent: unknown[] = [];
    const deps = {
      clock: { now: () => 0 },
      settings: { webhookSecret: "secret", ownHosts: [] },
      http: {
        request: async (request: unknown) => {
          sent.push(request);
          return { kind: "response", response: { statusCode: 200, headers: {}, body: new Uint8Array() } };
        },
      },
    } as never;
    const event = { teamId: "team", jobId: "job", webhookId: "id", type: "crawl.page", target, body, attempt: 1, expiresAtMs: 1, hasZeroRetention }; // prettier-ignore
    const exchange = await sendEvent(deps, event);
    const signed = ["x-firecrawl-signature", "webhook-id", "webhook-timestamp", "webhook-signature"];
    const headers = Object.fromEntries(signed.map((name) => [name, expect.stringMatching(/./)]));
    expect(sent).toMatchObject([{ ...target, headers: { ...target.headers, ...headers } }]);
    if (isStored) expect(exchange.target).toEqual(target);
    else expect(JSON.stringify(exchange)).not.toContain("hush");
  },
);

test.each([
  { statusCode: 200, kind: "delivered", error: undefined },
  { statusCode: 500, kind: "failed", error: "The receiver answered 500" },
])("an answer of $statusCode whose body is too large is $kind", async ({ statusCode, kind, error }) => {
  const deps = {
    clock: { now: () => 0 },
    settings: { webhookSecret: "secret", ownHosts: [] },
    http: createGuardedFetch({
      guard: { check: async () => ({ kind: "allowed" }) },
      clock: { now: () => 0 },
      meter: new Meter(),
      fetcher: async () => new Response("x".repeat(200_000), { status: statusCode }),
    }),
  } as never;
  const event = { teamId: "team", jobId: "job", webhookId: "id", type: "crawl.page", target, body: "{}", attempt: 1, expiresAtMs: 1, hasZeroRetention: false }; // prettier-ignore
  expect(await sendEvent(deps, event)).toMatchObject({ kind, statusCode, error });
});

test("an event that cannot be signed is refused, and says what to do", async () => {
  const deps = { clock: { now: () => 0 }, settings: { webhookSecret: "whsec_abcdefghi", ownHosts: [] } } as never;
  const event = { teamId: "team", jobId: "job", webhookId: "id", type: "crawl.page", target, body: "{}", attempt: 1, expiresAtMs: 1, hasZeroRetention: false }; // prettier-ignore
  const error = expect.stringMatching(/^WEBHOOK_SECRET must be whsec_ and whole base64/);
  expect(await sendEvent(deps, event)).toMatchObject({ kind: "refused", statusCode: undefined, error });
});

test.each([301, 302, 303, 307, 308])(
  "a redirect (%i) is not followed, and is a failure that names its target",
  async (status) => {
    const asked: string[] = [];
    const deps = {
      clock: { now: () => 0 },
      settings: { webhookSecret: "secret", ownHosts: [] },
      http: createGuardedFetch({
        guard: { check: async () => ({ kind: "allowed" }) },
        clock: { now: () => 0 },
        meter: new Meter(),
        fetcher: async (url) => {
          asked.push(String(url));
          return new Response("", {
            status: asked.length === 1 ? status : 200,
            headers: { location: "/new?token=hush" },
          });
        },
      }),
    } as never;
    const event = { teamId: "team", jobId: "job", webhookId: "id", type: "crawl.page", target, body: "{}", attempt: 1, expiresAtMs: 1, hasZeroRetention: false }; // prettier-ignore
    const { kind, statusCode, error } = await sendEvent(deps, event);
    expect(asked).toEqual([target.url]);
    expect({ kind, statusCode }).toEqual({ kind: "failed", statusCode: status });
    expect(error).toContain(`redirects to https://hooks.example/new (${status})`);
  },
);

test("an event is not sent where there is no secret to sign it with, and the attempt says so", async () => {
  const deps = testDeps({ settings: { webhookSecret: undefined } });
  const event = { teamId: "team", jobId: "job", webhookId: "id", type: "crawl.page", target, body: "{}", attempt: 1, expiresAtMs: 1, hasZeroRetention: false }; // prettier-ignore
  // The port for requests refuses to be used.
  const exchange = await sendEvent(deps, event);
  expect(exchange).toMatchObject({
    kind: "refused",
    error: expect.stringContaining("always signed"),
    requestHeaders: {},
  });
  const caller = { key: { id: "key", teamId: "team" } } as never;
  await expect(testWebhook(deps, caller, { url: "https://hooks.example/in" })).rejects.toMatchObject({
    code: "NOT_AVAILABLE",
    message: expect.stringContaining("always signed"),
  });
});
