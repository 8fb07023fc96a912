import { lookup } from "node:dns/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The JSON form of DNS over HTTPS that public resolvers share, as far as the service reads it. */
export interface DnsAnswer {
  /** 0 found, 2 no answer, 3 no such name (RFC 1035 § 4.1.1). */
  Status: 0 | 2 | 3;
  Answer: { name: string; type: 1 | 28; TTL: number; data: string }[];
}

export interface DnsOverHttps {
  url: string;
  close(): Promise<void>;
}

type Addresses = { address: string; family: number }[];
type Lookup = (name: string) => Promise<Addresses>;

const NOERROR = 0;
const SERVFAIL = 2;
const NXDOMAIN = 3;
const TYPES: Record<string, { code: 1 | 28; family: 4 | 6 } | undefined> = {
  A: { code: 1, family: 4 },
  AAAA: { code: 28, family: 6 },
};
const TIMEOUT_MS = 1_800;
const TTL_S = 5;
/** Never resolve anywhere (RFC 6761 § 6.4, RFC 7686 § 2). */
const UNRESOLVABLE = /(?:^|\.)(?:invalid|onion)$/;
/** Resolve at most by an entry of this machine (RFC 6761 § 6.2, § 6.5). */
const RESERVED = /(?:^|\.)(?:test|example)$/;

const systemLookup: Lookup = (name) => lookup(name, { all: true });

/**
 * A resolver on a free port of 127.0.0.1 that answers as this machine resolves, its hosts file included. The service
 * asks it before each load, and so refuses names that lead to private addresses also where no public resolver is
 * reachable.
 */
export async function startDnsOverHttps(resolve: Lookup = systemLookup): Promise<DnsOverHttps> {
  const ask = onceAtATime(resolve);
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? "/", "http://resolver");
    const name = searchParams.get("name") ?? "";
    const type = searchParams.get("type")?.toUpperCase() ?? "A";
    void answerQuestion(name, type, ask).then((answer) => {
      response.writeHead(answer === undefined ? 400 : 200, { "content-type": "application/dns-json" });
      response.end(JSON.stringify(answer ?? { error: "Give name, and type A or AAAA" }));
    });
  });
  await new Promise<void>((listening, failed) => {
    server.once("error", failed);
    server.listen(0, "127.0.0.1", listening);
  });
  server.unref();
  const { port } = server.address() as AddressInfo;
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
async function answerQuestion(asked: string, typeName: string, ask: Lookup): Promise<DnsAnswer | undefined> {
  const type = TYPES[typeName];
  const name = asked.toLowerCase().replace(/\.$/, "");
  if (type === undefined || name === "") return undefined;
  if (UNRESOLVABLE.test(name)) return { Status: NXDOMAIN, Answer: [] };
  const found = await withTimeout(ask(name)).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error) return { Status: statusOf(found, name), Answer: [] };
  const matching = found.filter(({ family }) => family === type.family);
  return {
    Status: NOERROR,
    Answer: matching.map(({ address }) => ({ name, type: type.code, TTL: TTL_S, data: address })),
  };
}

/** A machine without a network says EAI_AGAIN of every name, so that alone never means that a name does not exist. */
function statusOf(error: NodeJS.ErrnoException, name: string): 2 | 3 {
  return error.code === "ENOTFOUND" || RESERVED.test(name) ? NXDOMAIN : SERVFAIL;
}

/** A and AAAA are asked together, while one look-up answers both and the system runs few of them at a time. */
function onceAtATime(resolve: Lookup): Lookup {
  const running = new Map<string, Promise<Addresses>>();
  return (name) => {
    const known = running.get(name);
    if (known !== undefined) return known;
    const started = resolve(name).finally(() => running.delete(name));
    running.set(name, started);
    return started;
  };
}

function withTimeout(work: Promise<Addresses>): Promise<Addresses> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("The system's resolver does not answer")), TIMEOUT_MS);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
