import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import { mountMcp } from "../../../src/mcp/mount.ts";
import type { testApp } from "./test-app.ts";
import { sharedValidator } from "./shared-validator.ts";
import { FIRST_KEY } from "./test-deps.ts";

/** A client of the real SDK that speaks to the service in-process, until the test is over. */
export async function mcpClient(app: ReturnType<typeof testApp>["app"], key = FIRST_KEY): Promise<Client> {
  mountMcp(app);
  const transport = new StreamableHTTPClientTransport(new URL("https://api.example/mcp"), {
    fetch: async (url, init) => await app.request(String(url), init),
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
  });
  const client = new Client({ name: "test", version: "1" }, { jsonSchemaValidator: sharedValidator });
  onTestFinished(() => client.close());
  // The SDK's transport declares optional fields in a way that exact optional types refuse.
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  return client;
}

export async function callTool(client: Client, name: string, input: Record<string, unknown>): Promise<CallToolResult> {
  return (await client.callTool({ name, arguments: input })) as CallToolResult;
}

export function texts(result: CallToolResult): string[] {
  return result.content.map((part) => (part.type === "text" ? part.text : ""));
}
