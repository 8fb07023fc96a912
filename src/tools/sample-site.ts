import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

export interface SampleSite {
  url: string;
  /** `127.0.0.1:<port>`: the one private address that the service needs to reach for it. */
  host: string;
  close(): Promise<void>;
}

/** Serves the sample page on a free port of 127.0.0.1. */
export async function startSampleSite(): Promise<SampleSite> {
  const page = await readFile(join(import.meta.dirname, "sample-page.html"));
  const server = createServer((request, response) => {
    const isPage = request.url === "/orb-weavers";
    response.writeHead(isPage ? 200 : 404, { "content-type": isPage ? "text/html; charset=utf-8" : "text/plain" });
    response.end(isPage ? page : "Only the sample page is here.\n");
  });
  await new Promise<void>((listening, failed) => {
    server.once("error", failed);
    server.listen(0, "127.0.0.1", listening);
  });
  server.unref();
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}/orb-weavers`,
    host,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
