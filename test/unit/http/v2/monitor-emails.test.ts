import { describe, expect, test } from "vitest";
import { testApp } from "../../../fakes/services/test-app.ts";

describe.each(["/v2/monitor/email/confirm", "/v2/monitor/email/unsubscribe"])("POST %s", (path) => {
  const send = async (body: unknown) =>
    await testApp().app.request(path, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "Content-Type": "application/json" },
    });

  test("knows no token, and says so without a key", async () => {
    const response = await send({ token: "3f9c2a7be1d84c06" });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      success: false,
      error: expect.stringMatching(/^not_found.*webhooks/),
    });
  });

  test.each([{}, { token: "short" }, { token: "x".repeat(65) }, { token: "3f9c2a7be1d84c06", more: 1 }])(
    "refuses %o",
    async (body) => expect((await send(body)).status).toBe(400),
  );
});
