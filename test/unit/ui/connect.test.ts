import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { arrivedSince, clientInWords, isFromMcp, type Arrival } from "../../../src/ui/connect/activity.ts";
import { clientsOf } from "../../../src/ui/connect/clients.ts";
import { stepsIn } from "../../../src/ui/start/steps.ts";
import { signWebhook } from "../../../src/services/webhooks/sign-webhook.ts";
import { checkSignatures } from "../../../src/ui/webhooks/check-signatures.ts";

const KEY = `fc-${"a".repeat(32)}`;
const arrival: Arrival = {
  id: "1",
  endpoint: "scrape",
  created_at: "2026-11-21T12:00:00.000Z",
  target: "https://example.com",
  succeeded: true,
  duration_ms: 1,
  user_agent: "axios/1.7",
};

describe("the snippets of clients", () => {
  const clients = clientsOf({ origin: "https://data.example", key: KEY });

  test("name the address and the key of each program", () => {
    for (const { name, steps } of clients) {
      const text = steps.map(({ code = "" }) => code).join("\n");
      expect(text, name).toContain("https://data.example");
      expect(text, name).toContain(KEY);
    }
    expect(new Set(clients.map(({ name }) => name)).size).toBe(clients.length);
  });

  test("for MCP programs are JSON with the address of the server", () => {
    const settings = clients
      .filter(({ group, name }) => group === "MCP" && name !== "claude-code")
      .map(({ steps }) => JSON.parse(steps[0]?.code ?? "") as object);
    for (const setting of settings) expect(JSON.stringify(setting)).toContain("https://data.example/mcp");
  });

  test("for JavaScript parse", () => {
    const code = clients.find(({ name }) => name === "javascript")?.steps[1]?.code ?? "";
    const AsyncFunction = (async () => undefined).constructor as new (body: string) => unknown;
    expect(() => new AsyncFunction(code.replace(/^import .*$/m, ""))).not.toThrow();
  });
});

describe("the activity", () => {
  test("tells new requests from earlier ones", () => {
    expect(arrivedSince([arrival], [{ ...arrival, id: "2" }, arrival]).map(({ id }) => id)).toEqual(["2"]);
  });

  test("names the client", () => {
    expect(clientInWords(arrival)).toBe("axios/1.7");
    expect(clientInWords({ user_agent: "mcp claude-code/2" })).toBe("MCP, claude-code/2");
    expect(clientInWords({ user_agent: "Mozilla/5.0 (X11)" })).toBe("a browser");
    expect(isFromMcp({ user_agent: "mcproxy/1" })).toBe(false);
  });

  test("completes the first steps by requests that succeeded", () => {
    const mcp = { ...arrival, user_agent: "mcp" };
    expect(stepsIn([arrival, { ...arrival, endpoint: "crawl", succeeded: false }])).toEqual(["scrape"]);
    expect(stepsIn([{ ...arrival, endpoint: "search" }, mcp])).toEqual(["scrape", "search", "mcp"]);
  });
});

describe("the signature check", () => {
  const body = '{"type":"webhook.test","note":"ä"}';
  const nowMs = Date.UTC(2026, 10, 23);
  const event = async (secret: string): Promise<string> => {
    const bytes = new TextEncoder().encode(body);
    const headers = await signWebhook(secret, { webhookId: "event 1", body: bytes, nowMs });
    return Object.entries(headers)
      .map(([name, value]) => `${name.toUpperCase()}: ${value}`)
      .join("\n");
  };

  test.each(["plain text", `whsec_${Buffer.from("decoded").toString("base64")}`])("passes for %s", async (secret) => {
    const checks = await checkSignatures({ headers: await event(secret), body, secret, nowMs: nowMs + 1_000 });
    expect(checks.map(({ passes }) => passes)).toEqual([true, true, true]);
  });

  test("fails for another secret, a changed body and an old event", async () => {
    const headers = await event("one");
    const results = async (change: object): Promise<boolean[]> => {
      const checks = await checkSignatures({ headers, body, secret: "one", nowMs, ...change });
      return checks.map(({ passes }) => passes);
    };
    expect(await results({ secret: "other" })).toEqual([false, false, true]);
    expect(await results({ body: `${body} ` })).toEqual([false, false, true]);
    expect(await results({ nowMs: nowMs + 301_000 })).toEqual([true, true, false]);
    expect(await results({ headers: "" })).toEqual([false, false, false]);
    expect(headers).toContain(createHmac("sha256", "one").update(body).digest("hex"));
  });
});
