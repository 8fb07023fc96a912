import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import * as aiTools from "firecrawl-aisdk";
import { beforeAll, describe, expect, test } from "vitest";
import {
  compareOtherClient,
  compareWithClient,
  type Compatibility,
} from "../../../src/tools/docs/compatibility/compatibility-table.ts";
import { compareWithProgram, type Program } from "../../../src/tools/docs/compatibility/program-table.ts";
import {
  AI_SDK_TOOLS,
  CLI_COMMANDS,
  CLI_FLAGS,
  CLI_MONITOR_COMMANDS,
  CLI_MONITOR_FLAGS,
  MCP_ARGUMENTS,
  MCP_TOOLS,
} from "../../../src/tools/docs/compatibility/program-tools.ts";
import { readCommands } from "../../../src/tools/docs/compatibility/read-commands.ts";
import type { OpenApiDocument } from "../../../src/tools/docs/compatibility/openapi-fields.ts";
import { readDeclarations } from "../../../src/tools/docs/compatibility/read-declarations.ts";
import { testApp } from "../../fakes/services/test-app.ts";

/** The published programs with the arguments that each declares itself; none of them asks the service for these. */
async function readPrograms(): Promise<Program[]> {
  const installed = (name: string): string => join(ROOT, "node_modules", name);
  const versionOf = (name: string): string =>
    (JSON.parse(readFileSync(join(installed(name), "package.json"), "utf8")) as { version: string }).version;
  const cli = readFileSync(join(installed("firecrawl-cli"), "dist/index.js"), "utf8");
  const kit = aiTools as unknown as Record<string, { inputSchema?: { shape?: object } } | undefined>;
  return [
    {
      title: "Tools of the MCP server `firecrawl-mcp`",
      version: versionOf("firecrawl-mcp"),
      tools: MCP_TOOLS,
      byHand: MCP_ARGUMENTS,
      declared: await listMcpTools(join(installed("firecrawl-mcp"), "dist/index.js")),
    },
    {
      title: "Commands and flags of `firecrawl-cli`",
      version: versionOf("firecrawl-cli"),
      tools: CLI_COMMANDS,
      byHand: CLI_FLAGS,
      declared: readCommands(cli),
    },
    {
      title: "Commands and flags of `firecrawl-cli monitor`",
      version: versionOf("firecrawl-cli"),
      tools: CLI_MONITOR_COMMANDS,
      byHand: CLI_MONITOR_FLAGS,
      declared: readCommands(readFileSync(join(installed("firecrawl-cli"), "dist/commands/monitor.js"), "utf8")),
    },
    {
      title: "Tools of `firecrawl-aisdk`",
      version: versionOf("firecrawl-aisdk"),
      tools: AI_SDK_TOOLS,
      declared: new Map(AI_SDK_TOOLS.map(({ name }) => [name, Object.keys(kit[name]?.inputSchema?.shape ?? {})])),
    },
  ];
}

/** Asks the published MCP server, as a child without a service, for its tools. */
async function listMcpTools(program: string): Promise<Map<string, string[]>> {
  const client = new Client({ name: "orbweaver-test", version: "1.0.0" });
  const env = {
    PATH: process.env["PATH"] ?? "",
    FIRECRAWL_API_URL: "http://127.0.0.1:9",
    FIRECRAWL_API_KEY: "fc-none",
  };
  const transport = new StdioClientTransport({ command: process.execPath, args: [program], env, stderr: "ignore" });
  // The SDK's transport declares optional fields in a way that exact optional types refuse.
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  try {
    const { tools } = await client.listTools();
    return new Map(tools.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties ?? {})]));
  } finally {
    await client.close();
  }
}

const ROOT = join(import.meta.dirname, "../../..");
const CLIENT = join(ROOT, "node_modules/firecrawl");

describe("the table of the client's fields", () => {
  let openapi: OpenApiDocument;
  let declarations: Map<string, string[]>;
  let compared: Compatibility;
  beforeAll(async () => {
    openapi = (await (await testApp().app.request("/openapi.json")).json()) as OpenApiDocument;
    declarations = readDeclarations(readFileSync(join(CLIENT, "dist/index.d.ts"), "utf8"));
    const { version } = JSON.parse(readFileSync(join(CLIENT, "package.json"), "utf8")) as { version: string };
    compared = compareWithClient(declarations, { openapi, clientVersion: version });
  });

  test("classifies every field, and gives reasons only for fields that need one", () => {
    expect(compared.unclassified).toEqual([]);
    expect(compared.stale).toEqual([]);
  });

  test("and those of the other programs are the document; `vitest run` of this file with `-u` writes it", async () => {
    const programs = await readPrograms();
    const sections = programs.map((program) => compareWithProgram(program, openapi));
    expect(sections.flatMap(({ unclassified }) => unclassified)).toEqual([]);
    expect(sections.flatMap(({ stale }) => stale)).toEqual([]);
    const older = join(ROOT, "node_modules/@mendable/firecrawl-js");
    const { version } = JSON.parse(readFileSync(join(older, "package.json"), "utf8")) as { version: string };
    const other = compareOtherClient(readDeclarations(readFileSync(join(older, "dist/index.d.ts"), "utf8")), {
      first: declarations,
      openapi,
      title: `Client \`@mendable/firecrawl-js\` ${version}`,
    });
    expect(other.unclassified).toEqual([]);
    const document = [
      compared.markdown,
      other.markdown,
      "## Other programs\n",
      ...sections.map(({ markdown }) => markdown),
    ].join("\n");
    await expect(document).toMatchFileSnapshot(join(ROOT, "src/docs/compatibility.md"));
  });

  test("notices an argument and a tool that a program adds or drops", () => {
    const declared = new Map([["firecrawl_map", ["url", "telepathy"]]]);
    const tools = MCP_TOOLS.filter(({ name }) => /map|feedback/.test(name));
    const { unclassified, stale } = compareWithProgram({ title: "MCP", version: "9", tools, declared }, openapi);
    expect(unclassified).toEqual(["firecrawl_map.telepathy"]);
    expect(stale).toEqual(["firecrawl_search_feedback", "firecrawl_feedback"]);
  });

  test("names what another client has and has not", () => {
    const other = new Map(declarations).set("MapOptions", ["search", "telepathy"]);
    other.delete("SearchData");
    const { markdown, unclassified } = compareOtherClient(other, { first: declarations, openapi, title: "Other" });
    expect(unclassified).toEqual(["MapOptions.telepathy"]);
    expect(markdown).toMatch(/\| `MapOptions` \| `telepathy` \(not classified\) \| .*`limit`/);
    expect(markdown).toContain("It does not declare `SearchData`.");
  });

  test("notices a field that a new version of the client adds", () => {
    const newer = new Map(declarations).set("ScrapeCallOptions", ["formats", "telepathy"]);
    const { unclassified, stale } = compareWithClient(newer, { openapi, clientVersion: "5" });
    expect(unclassified).toEqual(["ScrapeCallOptions.telepathy"]);
    expect(stale).toEqual(["ScrapeCallOptions.autoResume"]);
  });
});

test("commands are read with the names of their flags", () => {
  const source = `new commander_1.Command('crawl').option('-u, --url <url>', 'x').requiredOption('--max-depth <n>');
    research.command('search-papers <query>').option('--k');`;
  expect([...readCommands(source)]).toEqual([
    ["crawl", ["url", "maxDepth"]],
    ["search-papers", ["k"]],
  ]);
});

test("declarations are read with base types, unions, intersections and parameters", () => {
  const fields = readDeclarations(`
    interface Base { a?: string; "b-c": number }
    export interface Derived extends Base { d: { e: string } }
    type Both = Derived & { f: boolean };
    type Either = Base | { g: string };
    declare function send(http: Base, args: { h: string } & Omit<Base, "a">): void;
  `);
  expect(Object.fromEntries(fields)).toMatchObject({
    Derived: ["a", "b-c", "d"],
    Both: ["a", "b-c", "d", "f"],
    Either: ["a", "b-c", "g"],
    send: ["h"],
  });
});
