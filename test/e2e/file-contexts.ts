import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { startSite } from "../site/start-site.ts";

/** A service that one test file at a time uses. */
export interface Lane {
  /** Address of the service for tests, without a slash at the end: each response is compared with its schema there. */
  serviceUrl: string;
  /** Address of the service itself. */
  directUrl: string;
  adminKey: string;
  /** Opens the simulator's own paths: the header `X-Orbweaver-Local-Token`. */
  localToken: string;
}

/** The service, the team and the site of one test file. */
export interface FileContext {
  serviceUrl: string;
  /** Address of the service itself. */
  directUrl: string;
  /** A key of a team that no other file uses. */
  apiKey: string;
  /** A key of the same team with the admin scope. */
  adminKey: string;
  localToken: string;
  /** Two origins of one local web site; counts at `/__hits` (see `test/site`). */
  siteUrl: string;
  otherSiteUrl: string;
}

export interface FileContexts {
  /** `POST` with the number of a lane returns a context and its id; `DELETE` with this id ends it. */
  url: string;
  close(): Promise<void>;
}

/** Starts a server that test files request their contexts from. A context that a file does not end is ended by `close`. */
export async function startFileContexts(lanes: readonly Lane[]): Promise<FileContexts> {
  const ends = new Map<string, () => Promise<void>>();
  const respond = async ({ method, url = "/" }: IncomingMessage): Promise<object> => {
    const name = url.slice(1);
    if (method === "DELETE") {
      const end = ends.get(name);
      ends.delete(name);
      await end?.();
      return {};
    }
    const lane = lanes[Number(name) % lanes.length];
    if (lane === undefined) throw new Error("No service was started");
    const id = crypto.randomUUID();
    const { context, end } = await newContext(lane);
    ends.set(id, end);
    return { id, context };
  };
  const server = createServer((request, response) => {
    void respond(request).then(
      (body) => response.end(JSON.stringify(body)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      await Promise.all([...ends.values()].map((end) => end()));
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function newContext(lane: Lane): Promise<{ context: FileContext; end(): Promise<void> }> {
  const teamId = crypto.randomUUID();
  const [apiKey, adminKey, site] = await Promise.all([
    newKey(lane, { name: "first key", teamId }),
    newKey(lane, { name: "admin key", teamId, scopes: { admin: true } }),
    startSite(),
  ]);
  const { serviceUrl, localToken } = lane;
  return {
    context: {
      serviceUrl,
      directUrl: lane.directUrl,
      localToken,
      apiKey: apiKey.key,
      adminKey: adminKey.key,
      siteUrl: site.url,
      otherSiteUrl: site.otherUrl,
    },
    // Jobs, sessions and checks of a revoked key end: none takes time from the next file.
    end: async () => {
      await Promise.all([apiKey, adminKey].map(({ id }) => askAdmin(lane, "DELETE", `/${id}`)));
      await site.close();
    },
  };
}

interface Key {
  id: string;
  key: string;
}

async function newKey(lane: Lane, options: object): Promise<Key> {
  const { data } = (await askAdmin(lane, "POST", "", options)) as { data: Key };
  return data;
}

async function askAdmin(lane: Lane, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${lane.directUrl}/v2/team/keys${path}`, {
    method,
    headers: { authorization: `Bearer ${lane.adminKey}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} of a key: ${response.status} ${await response.text()}`);
  return await response.json();
}
