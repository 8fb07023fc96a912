import { ErrorCode, McpError, type ReadResourceResult, type Resource } from "@modelcontextprotocol/sdk/types.js";
import { isObject, toSegment, type Caller } from "./api.ts";
import { shortenTexts } from "./shorten-texts.ts";

/** Characters of all texts of a resource, the longest of which are cut. */
export const MAX_RESOURCE_CHARACTERS = 1_000_000;
const PREFIX = "orbweaver://scrapes/";

/** Past scrapes by the id that their metadata names. */
export const SCRAPE_TEMPLATE = {
  uriTemplate: `${PREFIX}{id}`,
  name: "scrape",
  title: "A page that was scraped",
  description:
    "The page as it was answered: its markdown, and everything else as JSON, up to 1,000,000 characters together.",
};

/** The account's latest scrapes. @throws McpError when they cannot be listed, with the reason */
export async function listScrapes(
  caller: Caller,
  cursor: string | undefined,
): Promise<{ resources: Resource[]; nextCursor?: string }> {
  const query = new URLSearchParams({ endpoint: "scrape", limit: "50", ...(cursor === undefined ? {} : { cursor }) });
  const { isSuccess, body } = await caller.call("GET", `/v2/team/activity?${query}`);
  if (!isSuccess || !Array.isArray(body.data)) {
    throw new McpError(
      ErrorCode.InternalError,
      `The scrapes cannot be listed: ${String(body.error ?? "unknown error")}`,
    );
  }
  const kept = body.data.filter(isObject).filter(({ succeeded }) => succeeded !== false);
  const resources = kept.map(({ id, target, created_at }) => ({
    uri: `${PREFIX}${String(id)}`,
    name: String(target ?? id),
    description: `Scraped at ${String(created_at)}`,
    mimeType: "text/markdown",
  }));
  return typeof body.cursor === "string" ? { resources, nextCursor: body.cursor } : { resources };
}

/** @returns undefined when there is no such scrape of this account. @throws McpError when it cannot be read now, with the reason */
export async function readScrapeResource(caller: Caller, uri: string): Promise<ReadResourceResult | undefined> {
  if (!uri.startsWith(PREFIX)) return undefined;
  const id = uri.slice(PREFIX.length);
  const { isSuccess, status, body } = await caller.call("GET", `/v2/scrape/${toSegment(id)}`);
  if (status === 404) return undefined;
  if (!isSuccess || !isObject(body.data)) {
    throw new McpError(ErrorCode.InternalError, `The scrape cannot be read: ${String(body.error ?? "unknown error")}`);
  }
  const { markdown, ...rest } = shortenTexts(body.data, MAX_RESOURCE_CHARACTERS).value;
  return {
    contents: [
      ...(typeof markdown === "string" ? [{ uri, mimeType: "text/markdown", text: markdown }] : []),
      { uri, mimeType: "application/json", text: JSON.stringify(rest, undefined, 1) },
    ],
  };
}
