import { createServer } from "node:http";
import { onceAtATime, resolveName, systemLookup } from "../egress/resolve-name.ts";
import type { Lookup } from "../egress/resolve-name.ts";
import { listenLocally } from "../process/listen-locally.ts";

/** The JSON form of DNS over HTTPS that public resolvers share, as far as the service reads it. */
export interface DnsResponse {
  /** 0 found, 2 no answer, 3 no such name (RFC 1035 § 4.1.1). */
  Status: 0 | 2 | 3;
  Answer: { name: string; type: 1 | 28; TTL: number; data: string }[];
}

export interface DnsOverHttps {
  url: string;
  close(): Promise<void>;
}

const NOERROR = 0;
const SERVFAIL = 2;
const NXDOMAIN = 3;
const TYPES: Record<string, { code: 1 | 28; family: 4 | 6 } | undefined> = {
  A: { code: 1, family: 4 },
  AAAA: { code: 28, family: 6 },
};
const TTL_S = 5;

/**
 * A resolver on a free port of 127.0.0.1 that answers as this machine resolves, its hosts file included. The service
 * asks it before each load, and so refuses names that lead to private addresses also where no public resolver is
 * reachable.
 */
export async function startDnsOverHttps(resolve: Lookup = systemLookup): Promise<DnsOverHttps> {
  const ask = onceAtATime(resolve);
  const server = createServer((request, response) => {
    const searchParams = URL.parse(request.url ?? "/", "http://resolver")?.searchParams;
    const name = searchParams?.get("name") ?? "";
    const type = searchParams?.get("type")?.toUpperCase() ?? "A";
    void answerQuestion(name, type, ask).then((answer) => {
      response.writeHead(answer === undefined ? 400 : 200, { "content-type": "application/dns-json" });
      response.end(JSON.stringify(answer ?? { error: "Give name, and type A or AAAA" }));
    });
  });
  const port = await listenLocally(server);
  return {
    url: `http://127.0.0.1:${port}/dns-query`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

/** undefined for a question that is none. */
async function answerQuestion(asked: string, typeName: string, ask: Lookup): Promise<DnsResponse | undefined> {
  const type = TYPES[typeName];
  const name = asked.toLowerCase().replace(/\.$/, "");
  if (type === undefined || name === "") return undefined;
  const found = await resolveName(name, ask);
  if (found.kind !== "addresses") return { Status: found.kind === "not_found" ? NXDOMAIN : SERVFAIL, Answer: [] };
  const matching = found.addresses.filter(({ family }) => family === type.family);
  return {
    Status: NOERROR,
    Answer: matching.map(({ address }) => ({ name, type: type.code, TTL: TTL_S, data: address })),
  };
}
