import type { ModelTool } from "../../ports/language-model.ts";

/** Tools of an agent. They read, and change nothing. */
export const AGENT_TOOLS: readonly ModelTool[] = [
  {
    name: "search",
    description: "Search the web. Answers addresses with titles and descriptions.",
    inputSchema: {
      type: "object",
      properties: { query: { type: "string", description: "A few words" } },
      required: ["query"],
    },
  },
  {
    name: "read_page",
    description:
      "Read a page whose address the user, a search, a site's list or an earlier page of the same site has given.",
    inputSchema: {
      type: "object",
      properties: {
        url: { type: "string", description: "Copied exactly" },
        about: { type: "string", description: "What to look for; of a long page the passages about it are shown" },
      },
      required: ["url"],
    },
  },
  {
    name: "list_site",
    description: "List the pages of a site, those that match best first.",
    inputSchema: {
      type: "object",
      properties: { url: { type: "string" }, about: { type: "string", description: "What to look for" } },
      required: ["url"],
    },
  },
];

export const AGENT_SYSTEM = `You research questions on the web for a user. Use the tools to search and to read; then answer in plain text without a tool call.
Say only what the pages you have read say, and name the address of the page behind each statement. If it cannot be found, say so. Do not guess.
Read few pages: the best ones first.`;
