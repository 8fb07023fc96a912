import type { CallToolResult, Tool as ListedTool } from "@modelcontextprotocol/sdk/types.js";
import { isObject, type JsonSchema, type OpenApi } from "../api.ts";
import type { CallContext } from "../call-context.ts";
import { inputSchemaOf } from "../input-schema.ts";
import { presentFailure } from "../present.ts";
import { shortenTexts, textLength } from "../shorten-texts.ts";
import { MAX_CHARACTERS, MAX_WAIT_SECONDS } from "../tools.ts";
import { waitForJob } from "../wait-for-job.ts";
import { FIRECRAWL_TOOLS, SEARCH_PROFILE, type FirecrawlTool } from "./tools.ts";
import toolSchemas from "./tool-schemas.json" with { type: "json" };
import { withoutPrototype } from "../../core/without-prototype.ts";

/**
 * Input schemas and annotations of firecrawl-mcp 3.26 (MIT) without its descriptions. firecrawl_parse has the fields of
 * its hosted form as well.
 */
const SCHEMAS = toolSchemas as unknown as Record<string, Pick<ListedTool, "inputSchema" | "annotations">>;

/** Routes whose descriptions of fields hold for a tool's fields of the same name. */
const ROUTES: Record<string, string> = withoutPrototype({
  firecrawl_scrape: "/v2/scrape",
  firecrawl_map: "/v2/map",
  firecrawl_search: "/v2/search",
  firecrawl_crawl: "/v2/crawl",
  firecrawl_agent: "/v2/agent",
  firecrawl_interact: "/v2/scrape/{id}/interact",
  firecrawl_feedback: "/v2/feedback",
});

export const FIRECRAWL_PROFILES = ["firecrawl", "firecrawl-search"] as const;
export type FirecrawlProfile = (typeof FIRECRAWL_PROFILES)[number];

/** Returns the tools of the official server under its names, or those of its profile for searches. */
export function firecrawlTools(document: OpenApi, profile: FirecrawlProfile) {
  return Object.entries(FIRECRAWL_TOOLS)
    .filter(([name]) => profile === "firecrawl" || SEARCH_PROFILE.includes(name))
    .map(([name, tool]) => ({
      listed: listed(document, name, tool),
      call: (context: CallContext, input: Record<string, unknown>) => callFirecrawlTool(context, tool, input),
    }));
}

function listed(document: OpenApi, name: string, { description }: FirecrawlTool): ListedTool {
  const { inputSchema, annotations } = SCHEMAS[name] ?? { inputSchema: { type: "object" as const } };
  return { name, description, inputSchema: described(document, name, inputSchema), annotations };
}

function described(document: OpenApi, name: string, schema: ListedTool["inputSchema"]): ListedTool["inputSchema"] {
  const path = ROUTES[name];
  const { properties = {} } = schema;
  if (path === undefined) return schema;
  const route = inputSchemaOf(document, { method: "POST", path, fields: Object.keys(properties) });
  const withDescription = ([field, own]: [string, object]): [string, object] => {
    const description = (route?.properties?.[field] as JsonSchema | undefined)?.["description"];
    return [field, typeof description === "string" ? { ...own, description } : own];
  };
  return { ...schema, properties: Object.fromEntries(Object.entries(properties).map(withDescription)) };
}

/**
 * Calls a tool. Its result is the JSON of the response, as text and as structured content. Long texts are cut, with a
 * warning: larger answers than `MAX_CHARACTERS` would be written in one piece, which holds up other requests.
 */
export async function callFirecrawlTool(
  context: CallContext,
  tool: FirecrawlTool,
  input: Record<string, unknown>,
): Promise<CallToolResult> {
  const response = await tool.run(
    {
      call: (...request) => context.caller.call(...request),
      waitForJob: async (started, statusPath) => {
        const ended = await waitForJob(context, { started, statusPath, waitMs: MAX_WAIT_SECONDS * 1000 });
        return ended.isSuccess ? { isSuccess: true, body: await withAllPages(context, ended.body) } : ended;
      },
    },
    input,
  );
  const { isSuccess, body } = response;
  if (!isSuccess) return { ...presentFailure(response), ...(isObject(body) ? { structuredContent: body } : {}) };
  const shown = shortened(body);
  return { content: [{ type: "text", text: JSON.stringify(shown, undefined, 2) }], structuredContent: shown };
}

function shortened(body: Record<string, unknown>): Record<string, unknown> {
  const { value: short, omittedItems } = shortenTexts(body, MAX_CHARACTERS);
  if (short === body) return body;
  const lists = omittedItems === 0 ? "" : `, and the last ${omittedItems} items of lists left out`;
  const cut = `Long texts were cut, each where it ends with an ellipsis${lists}: an answer of a tool has up to ${MAX_CHARACTERS} characters. The API returns the whole.`;
  const { warning } = body;
  return { ...short, warning: typeof warning === "string" && warning !== "" ? `${warning} ${cut}` : cut };
}

/** At most this many pages of results are read: all of a crawl of 1,000 pages. */
const MAX_PAGES = 100;

/**
 * Follows `next` through the results of a job, up to the characters that an answer has. A page that cannot be read ends the
 * list and keeps its `next`.
 */
async function withAllPages(
  { caller }: Pick<CallContext, "caller">,
  body: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const { next: first, ...rest } = body;
  const data: unknown[] = Array.isArray(body["data"]) ? [...(body["data"] as unknown[])] : [];
  let next = first;
  let characters = textLength(data);
  for (let page = 0; page < MAX_PAGES && characters < MAX_CHARACTERS && typeof next === "string"; page++) {
    const url = new URL(next);
    const { isSuccess, body: more } = await caller.call("GET", url.pathname + url.search);
    if (!isSuccess || !Array.isArray(more["data"])) break;
    data.push(...(more["data"] as unknown[]));
    characters += textLength(more["data"]);
    next = more["next"];
  }
  return { ...rest, data, ...(typeof next === "string" ? { next } : {}) };
}
