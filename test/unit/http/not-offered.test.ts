import { describe, expect, test } from "vitest";
import { testApp } from "../../fakes/services/test-app.ts";

const { app, ask } = testApp();

describe("what clients may call and the service does not do", () => {
  test.each([
    { method: "POST", path: "/v2/support/ask", words: "support" },
    { method: "POST", path: "/v2/support/docs-search", words: "/docs" },
    { method: "GET", path: "/v2/support/tickets/1", words: "support" },
    { method: "POST", path: "/v2/mcp/action-logs", words: "MCP actions" },
    { method: "GET", path: "/v2/mcp/action-logs", words: "MCP actions" },
    { method: "POST", path: "/v2/keyless/eligibility", words: "without a key" },
    { method: "PUT", path: "/v2/team/threat-protection", words: "rules per team" },
    { method: "GET", path: "/v2/team/siem", words: "rules per team" },
    { method: "POST", path: "/v2/monitor/email/resend", words: "mail about monitors" },
    { method: "POST", path: "/v2/slack/connect", words: "Slack" },
    { method: "GET", path: "/v2/keyless/eligibility", words: "without a key" },
    { method: "GET", path: "/exchange/discover?query=x", words: "exchange" },
    { method: "GET", path: "/v2/exchange", words: "exchange" },
    { method: "POST", path: "/v2/exchange/discover/tools", words: "exchange" },
    { method: "POST", path: "/v0/scrape", words: "version 0" },
  ])("$method $path is answered with 501 and words", async ({ method, path, words }) => {
    const answer = await ask(path, { method });
    expect(answer.status).toBe(501);
    expect(answer.headers.get("content-type")).toContain("application/json");
    expect(await answer.json()).toEqual({
      success: false,
      code: "NOT_AVAILABLE",
      error: expect.stringContaining(words),
    });
  });

  test("asks for a key first, as all of /v2 does", async () => {
    expect((await app.request("/v2/exchange")).status).toBe(401);
  });

  test("takes no path away from what the service does, nor makes a mistyped one known", async () => {
    expect((await ask("/v2/search", { method: "POST" })).status).toBe(400);
    expect((await ask("/v2/nowhere")).status).toBe(404);
  });
});
