import { execFile } from "node:child_process";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { inject } from "../inject.ts";
import { PROJECT_ROOT } from "../../../src/tools/service/wrangler.ts";

const installed = (program: string): string => join(PROJECT_ROOT, "node_modules", program, "dist/index.js");

const COMPILED = process.env["NODE_COMPILE_CACHE"];

/** Where Node keeps what it has compiled, where there is such a place: it compiles a published program once. */
export const COMPILE_CACHE: Readonly<Record<string, string>> =
  COMPILED === undefined ? {} : { NODE_COMPILE_CACHE: COMPILED };

/** The published programs find the service, and nothing else of this machine, in their environment. */
const environment = (): Record<string, string> => ({
  ...COMPILE_CACHE,
  PATH: process.env["PATH"] ?? "",
  FIRECRAWL_API_URL: inject("serviceUrl"),
  FIRECRAWL_API_KEY: inject("apiKey"),
});

/** A client of the published MCP server, which runs as a child over stdio until the client is closed. */
export async function connectToMcp(settings: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: "orbweaver-test", version: "1.0.0" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [installed("firecrawl-mcp")],
    env: { ...environment(), ...settings },
    stderr: "ignore",
  });
  // The SDK's transport declares optional fields in a way that exact optional types refuse.
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  return client;
}

export interface Printed {
  stdout: string;
  stderr: string;
  code: number;
}

/** Runs the published command line program once, in a home folder of its own and without asking the npm registry. */
export function runCli(words: readonly string[], home: string, settings: Record<string, string> = {}) {
  const env = {
    ...environment(),
    HOME: home,
    FIRECRAWL_NO_TELEMETRY: "1",
    FIRECRAWL_NO_UPDATE_CHECK: "1",
    NO_COLOR: "1",
    ...settings,
  };
  return new Promise<Printed>((resolve) => {
    const options = { env, cwd: home, timeout: 30_000 };
    execFile(process.execPath, [installed("firecrawl-cli"), ...words], options, (error, stdout, stderr) => {
      const failed = typeof error?.code === "number" ? error.code : 1;
      resolve({ stdout, stderr, code: error === null ? 0 : failed });
    });
  });
}
