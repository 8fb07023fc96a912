import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { researchReply } from "../../fakes/upstream/research-replies.ts";

export interface ProviderServer {
  url: string;
  /** Paths that were asked for, with their queries. */
  seen: string[];
  close(): Promise<void>;
}

/**
 * Search providers on this machine: Openverse, Hacker News and GitHub answer, arXiv says that it has had enough. With
 * `hasResearch`, the providers of papers, GitHub and governments answer as `test/fakes/research-replies.ts` says.
 */
export async function startProviderServer(siteUrl: string, { hasResearch = false } = {}): Promise<ProviderServer> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    seen.push(path);
    if (path.startsWith("/openverse/v1/images/")) return json(response, openverse(siteUrl));
    if (path.startsWith("/hacker-news/api/v1/")) return json(response, hackerNews(siteUrl));
    if (!hasResearch && path.startsWith("/github/search/repositories")) return json(response, github(siteUrl));
    const [, provider = "", rest = ""] = /^\/([\w-]+)(\/.*)$/.exec(path) ?? [];
    const reply = hasResearch ? researchReply(provider, rest) : undefined;
    if (reply !== undefined) {
      response.writeHead(200, { "content-type": reply.type }).end(reply.body);
      return;
    }
    response.writeHead(path.startsWith("/arxiv/") ? 429 : 404, { "retry-after": "600" }).end("Rate exceeded.");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function json(response: ServerResponse, body: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function openverse(siteUrl: string): object {
  const picture = {
    title: "Ferry",
    url: `${siteUrl}/img/640x480/ferry.png`,
    foreign_landing_url: `${siteUrl}/articles/ferry-timetable`,
    width: 640,
    height: 480,
  };
  return { result_count: 1, results: [picture] };
}

function hackerNews(siteUrl: string): object {
  const story = {
    objectID: "1",
    title: "The ferry",
    url: `${siteUrl}/articles/ferry-timetable`,
    points: 3,
    num_comments: 1,
  };
  return { hits: [{ ...story, created_at: "2026-11-01T00:00:00Z" }] };
}

function github(siteUrl: string): object {
  const repository = { description: "Rings bells", stargazers_count: 3, pushed_at: "2026-11-01T00:00:00Z" };
  const items = ["/final", "/status/500", "/slow?ms=20000"].map((path) => {
    return { ...repository, full_name: `harrow${path}`, html_url: `${siteUrl}${path}` };
  });
  return { total_count: items.length, items };
}
