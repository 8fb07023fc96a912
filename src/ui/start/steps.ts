import { isFromMcp } from "../connect/activity.ts";
import type { Arrival } from "../connect/activity.ts";
import { hrefOf } from "../routes.ts";

export interface FirstStep {
  name: "scrape" | "crawl" | "search" | "mcp";
  title: string;
  text: string;
  href: string;
  action: string;
}

/** The steps of the first run, in their order. */
export const FIRST_STEPS: readonly FirstStep[] = [
  {
    name: "scrape",
    title: "Scrape a page",
    text: "Get the main content of a page as markdown, with its metadata.",
    href: hrefOf("playground", undefined, { op: "post /v2/scrape" }),
    action: "Open the playground",
  },
  {
    name: "crawl",
    title: "Crawl a site",
    text: "Read all pages of a site, and follow the progress live.",
    href: hrefOf("jobs"),
    action: "Start a crawl",
  },
  {
    name: "search",
    title: "Search the crawl",
    text: "Find a passage in the pages that the crawl has read.",
    href: hrefOf("search"),
    action: "Search your pages",
  },
  {
    name: "mcp",
    title: "Connect an MCP client",
    text: "Give Claude, Cursor or VS Code the tools of this service, and let it call one.",
    href: hrefOf("connect", "claude-desktop"),
    action: "Connect a client",
  },
];

/** Returns the steps that the activity shows as done. */
export function stepsIn(arrivals: readonly Arrival[]): FirstStep["name"][] {
  const succeeded = arrivals.filter((arrival) => arrival.succeeded);
  return FIRST_STEPS.map(({ name }) => name).filter((name) =>
    succeeded.some((arrival) => (name === "mcp" ? isFromMcp(arrival) : arrival.endpoint === name)),
  );
}
