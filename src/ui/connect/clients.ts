/** One program that can be connected, with what to do in steps. */
export interface Client {
  name: string;
  label: string;
  group: "Clients" | "MCP" | "Programs";
  steps: { text: string; code?: string; label?: string }[];
  /** A page of the documentation. */
  guide: string;
}

/** The address of the service and the key to show: the key itself, or the name of a variable. */
export interface Target {
  origin: string;
  key: string;
}

const GUIDES = { clients: "/docs/migration#clients", mcp: "/docs/mcp", start: "/docs/getting-started" } as const;

/** Returns the programs with snippets that are ready to be copied. */
export function clientsOf({ origin, key }: Target): Client[] {
  return [...libraries({ origin, key }), ...mcpPrograms({ origin, key }), ...workflowPrograms({ origin, key })];
}

const inText = (value: string): string => JSON.stringify(value);
const indented = (value: unknown): string => JSON.stringify(value, undefined, 2);

function libraries({ origin, key }: Target): Client[] {
  const group = "Clients";
  const guide = GUIDES.clients;
  return [
    {
      name: "curl",
      label: "curl",
      group,
      guide: GUIDES.start,
      steps: [
        {
          text: "Run in a terminal.",
          code: [
            `curl -X POST ${origin}/v2/scrape \\`,
            `  -H "Authorization: Bearer ${key}" \\`,
            `  -H "Content-Type: application/json" \\`,
            `  -d '{"url": "https://example.com"}'`,
          ].join("\n"),
        },
      ],
    },
    {
      name: "javascript",
      label: "JavaScript",
      group,
      guide,
      steps: [
        { text: "Install the client.", code: "npm install firecrawl" },
        {
          text: "Set the base URL and the key.",
          code: [
            'import Firecrawl from "firecrawl";',
            "",
            `const client = new Firecrawl({ apiKey: ${inText(key)}, apiUrl: ${inText(origin)} });`,
            'const { markdown } = await client.scrape("https://example.com", { formats: ["markdown"] });',
            "console.log(markdown);",
          ].join("\n"),
        },
      ],
    },
    {
      name: "python",
      label: "Python",
      group,
      guide,
      steps: [
        { text: "Install the client.", code: "pip install firecrawl-py" },
        {
          text: "Set the base URL and the key.",
          code: [
            "from firecrawl import Firecrawl",
            "",
            `client = Firecrawl(api_key=${inText(key)}, api_url=${inText(origin)})`,
            'document = client.scrape("https://example.com", formats=["markdown"])',
            "print(document.markdown)",
          ].join("\n"),
        },
      ],
    },
    {
      name: "go",
      label: "Go",
      group,
      guide,
      steps: [
        { text: "Install the client.", code: "go get github.com/mendableai/firecrawl-go/v2" },
        {
          text: "Set the base URL and the key. The client uses v1 of the API, which is served as well.",
          code: [
            "package main",
            "",
            "import (",
            '\t"fmt"',
            '\t"log"',
            "",
            '\t"github.com/mendableai/firecrawl-go/v2"',
            ")",
            "",
            "func main() {",
            `\tapp, err := firecrawl.NewFirecrawlApp(${inText(key)}, ${inText(origin)})`,
            "\tif err != nil {",
            "\t\tlog.Fatal(err)",
            "\t}",
            '\tpage, err := app.ScrapeURL("https://example.com", nil)',
            "\tif err != nil {",
            "\t\tlog.Fatal(err)",
            "\t}",
            "\tfmt.Println(page.Markdown)",
            "}",
          ].join("\n"),
        },
      ],
    },
    {
      name: "cli",
      label: "CLI",
      group,
      guide,
      steps: [
        {
          text: "Set the base URL and the key, and scrape a page.",
          code: [
            `export FIRECRAWL_API_URL=${origin}`,
            `export FIRECRAWL_API_KEY=${key}`,
            "npx firecrawl-cli scrape https://example.com",
          ].join("\n"),
        },
      ],
    },
  ];
}

function mcpPrograms({ origin, key }: Target): Client[] {
  const group = "MCP";
  const guide = GUIDES.mcp;
  const url = `${origin}/mcp`;
  const headers = { Authorization: `Bearer ${key}` };
  const bridge = { command: "npx", args: ["-y", "mcp-remote", url, "--header", `Authorization: Bearer ${key}`] };
  return [
    {
      name: "claude-desktop",
      label: "Claude Desktop",
      group,
      guide,
      steps: [
        {
          text: "Open Settings, Developer, Edit Config, and add the server. Then restart the program.",
          label: "claude_desktop_config.json",
          code: indented({ mcpServers: { orbweaver: bridge } }),
        },
      ],
    },
    {
      name: "claude-code",
      label: "Claude Code",
      group,
      guide,
      steps: [
        {
          text: "Run in a terminal.",
          code: `claude mcp add --transport http orbweaver ${url} --header "Authorization: Bearer ${key}"`,
        },
      ],
    },
    {
      name: "cursor",
      label: "Cursor",
      group,
      guide,
      steps: [
        {
          text: "Add the server to the file of your home folder or of the project.",
          label: ".cursor/mcp.json",
          code: indented({ mcpServers: { orbweaver: { url, headers } } }),
        },
      ],
    },
    {
      name: "vscode",
      label: "VS Code",
      group,
      guide,
      steps: [
        {
          text: "Add the server to the file of the project.",
          label: ".vscode/mcp.json",
          code: indented({ servers: { orbweaver: { type: "http", url, headers } } }),
        },
      ],
    },
    {
      name: "windsurf",
      label: "Windsurf",
      group,
      guide,
      steps: [
        {
          text: "Add the server to the file.",
          label: "~/.codeium/windsurf/mcp_config.json",
          code: indented({ mcpServers: { orbweaver: { serverUrl: url, headers } } }),
        },
      ],
    },
    {
      name: "mcp-other",
      label: "Other MCP clients",
      group,
      guide,
      steps: [
        {
          text: "Clients that support streamable HTTP take the address and a header.",
          code: indented({ mcpServers: { orbweaver: { type: "http", url, headers } } }),
        },
        { text: "Clients that start a program use a bridge.", code: indented({ mcpServers: { orbweaver: bridge } }) },
        {
          text: "Prompts that are written for firecrawl-mcp find its tools under their names here.",
          code: `${url}?tools=firecrawl`,
        },
      ],
    },
  ];
}

function workflowPrograms({ origin, key }: Target): Client[] {
  const group = "Programs";
  const guide = GUIDES.clients;
  return [
    {
      name: "n8n",
      label: "n8n",
      group,
      guide,
      steps: [
        { text: "Install the community node.", code: "@mendable/n8n-nodes-firecrawl" },
        { text: "Create a credential. Its base URL ends with /v2.", label: "Base URL", code: `${origin}/v2` },
        { text: "Enter the key.", label: "API Key", code: key },
      ],
    },
    {
      name: "dify",
      label: "Dify",
      group,
      guide,
      steps: [
        {
          text: "Install the Firecrawl plugin, or choose Firecrawl as the website provider of a knowledge base.",
          label: "Firecrawl server's Base URL",
          code: origin,
        },
        { text: "Enter the key.", label: "Firecrawl API Key", code: key },
      ],
    },
    {
      name: "langchain",
      label: "LangChain",
      group,
      guide,
      steps: [
        { text: "Install the loader.", code: "pip install langchain-community firecrawl-py" },
        {
          text: "Set the base URL and the key.",
          code: [
            "from langchain_community.document_loaders import FireCrawlLoader",
            "",
            "loader = FireCrawlLoader(",
            `    api_key=${inText(key)},`,
            `    api_url=${inText(origin)},`,
            '    url="https://example.com",',
            '    mode="scrape",',
            ")",
            "print(loader.load())",
          ].join("\n"),
        },
      ],
    },
  ];
}
