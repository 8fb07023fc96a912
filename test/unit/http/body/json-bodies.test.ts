import { describe, expect, test } from "vitest";
import { createIdempotencyKeys } from "../../../../src/storage/jobs/idempotency-keys.ts";
import { nodeD1 } from "../../../fakes/memory/node-d1.ts";
import { testApp } from "../../../fakes/services/test-app.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const URL_ENCODED = "application/x-www-form-urlencoded";

describe.each(["/v2/browser", "/v2/interact"])("the body of %s, which may be absent,", (path) => {
  test.each([[URL_ENCODED], ["text/plain"], ["text/plain;charset=UTF-8"]])("cannot be of the type %s", async (type) => {
    const init = { method: "POST", headers: { "Content-Type": type } };
    const refused = await testApp().ask(path, { ...init, body: '{"ttl":60}' });
    expect([refused.status, await refused.json()]).toMatchObject([
      415,
      { error: "The request body must be sent as application/json" },
    ]);
    expect((await testApp().ask(path, { ...init, body: "" })).status).not.toBe(415);
  });

  test.each([{}, { body: "{}" }, { body: '{"ttl":60}', headers: { "Content-Type": "application/json" } }])(
    "is read as JSON or is empty: %j",
    async (init) => {
      const body = init.body === undefined ? {} : { body: new TextEncoder().encode(init.body) };
      const response = await testApp().ask(path, { method: "POST", ...init, ...body });
      expect(await response.json()).toMatchObject({ code: "BROWSER_NOT_CONFIGURED" });
    },
  );
});

test("a body of more than 1,000 levels is refused, and one of as many is read", async () => {
  const nested = (levels: number): string =>
    `{"url":"https://a.example/","origin":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
  const { ask } = testApp(testDeps({ idempotencyKeys: createIdempotencyKeys(nodeD1()) }));
  const send = async (levels: number) => {
    const headers = { "Content-Type": "application/json", "x-idempotency-key": crypto.randomUUID() };
    const response = await ask("/v2/scrape", { method: "POST", headers, body: nested(levels) });
    return { status: response.status, ...(await response.json<{ error: string }>()) };
  };
  for (const levels of [1_001, 20_000])
    expect(await send(levels)).toMatchObject({ status: 400, error: "The request body is more than 1,000 levels deep" });
  expect(await send(1_000)).toMatchObject({ status: 400, error: expect.stringContaining("origin") });
});
