import { expect, test } from "vitest";
import { sendEvent } from "../../../../src/services/webhooks/send-event.ts";

const target = { url: "https://hooks.example/in?token=hush", headers: { Authorization: "Bearer hush" } };

test.each([
  { hasZeroRetention: false, body: "{}", isStored: true },
  { hasZeroRetention: true, body: "{}", isStored: false },
  { hasZeroRetention: false, body: "x".repeat(32_001), isStored: false },
])(
  "the secrets of a destination are stored only for a replay: $isStored",
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
    expect(sent).toMatchObject([target]);
    if (isStored) expect(exchange.target).toEqual(target);
    else expect(JSON.stringify(exchange)).not.toContain("hush");
  },
);
