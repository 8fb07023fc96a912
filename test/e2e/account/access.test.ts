import { request } from "node:http";
import { expect, test } from "vitest";
import { inject } from "../inject.ts";
import { call, sitePage } from "../client.ts";
import { makeKey } from "./make-key.ts";

/** A request that names a host of its own, as a page whose name resolves to this machine makes it. */
function askAs(
  host: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(inject("serviceUrl"));
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path, headers: { host, ...headers } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    asked.on("error", reject);
    asked.end();
  });
}

test.each<{ what: string; path: string; headers: Record<string, string> }>([
  { what: "the API", path: "/v2/capabilities", headers: {} },
  { what: "the dashboard", path: "/", headers: { accept: "text/html" } },
  { what: "the reference", path: "/openapi.json", headers: {} },
])("$what answers under the machine's own names alone", async ({ path, headers }) => {
  const refused = await askAs("rebound.example:8787", path, headers);
  expect(refused.status).toBe(421);
  expect(JSON.parse(refused.text)).toMatchObject({ success: false, code: "HOST_NOT_ALLOWED" });
  const { port } = new URL(inject("serviceUrl"));
  expect((await askAs(`localhost:${port}`, path, headers)).status).not.toBe(421);
});

test.each(["a b", "localhost:99999", "localhost, evil.example"])(
  "a Host that makes no URL, %s, is refused in the usual form",
  async (host) => {
    for (const path of ["/health", "/"]) {
      const { status, text } = await askAs(host, path);
      expect(status).toBe(421);
      expect(JSON.parse(text)).toMatchObject({ success: false, code: "HOST_NOT_ALLOWED" });
    }
  },
);

test("a socket is closed to a key whose scopes do not hold the job's endpoint", async () => {
  const { text } = await call("/v2/batch/scrape", { body: { urls: [sitePage("/final")] } });
  const { id } = JSON.parse(text) as { id: string };
  const close = async (key: string): Promise<{ code: number; reason: string }> =>
    await new Promise((resolve) => {
      const url = `${inject("serviceUrl").replace("http", "ws")}/v2/batch/scrape/${id}`;
      const socket = new WebSocket(url, [key]);
      socket.addEventListener("close", ({ code, reason }) => resolve({ code, reason }));
    });
  const limited = await close(await makeKey({ name: "crawls", scopes: { endpoints: ["crawl"] } }));
  expect(limited.code).toBe(3003);
  expect(limited.reason).toContain("restricted to the following endpoints");
  const fitting = await close(await makeKey({ name: "batches", scopes: { endpoints: ["batch_scrape"] } }));
  expect(fitting.code).toBe(1000);
});
