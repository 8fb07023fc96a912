import { request } from "node:http";
import { expect, test } from "vitest";
import { inject } from "./inject.ts";

/** What the simulator serves beside the Worker, by its names now and before. */
const LOCAL_PATHS = [
  "/cdn-cgi/local/scheduled",
  "/cdn-cgi/handler/scheduled",
  "/cdn-cgi/mf/scheduled",
  "/cdn-cgi/local/email",
  "/cdn-cgi/local/explorer",
  "/cdn-cgi/explorer/api/storage",
  "/cdn-cgi/local/platform-proxy",
  "/cdn-cgi/local/r2/public/orbweaver/anything",
  "/cdn-cgi/local/r2/s3/orbweaver?list-type=2",
  "/__cf_local/stream/anything",
];

const HEADERS: Record<string, string>[] = [
  {},
  { Host: "localhost" },
  { Host: "attacker.example" },
  { Origin: "https://attacker.example" },
  { Origin: "http://localhost" },
  { "X-Orbweaver-Local-Token": "guessed" },
  { "X-Forwarded-Host": "localhost", "X-Forwarded-For": "127.0.0.1" },
];

/** As `curl --path-as-is` sends it; `fetch` allows no Host. */
function statusOf(path: string, headers: Record<string, string>): Promise<number> {
  const { hostname, port } = new URL(inject("serviceUrl"));
  return new Promise((resolve, reject) => {
    const asking = request({ hostname, port, path, headers }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode ?? 0));
    });
    asking.once("error", reject).end();
  });
}

test.each(LOCAL_PATHS)("%s is closed to everyone without the starting program's token", async (path) => {
  for (const headers of HEADERS) {
    expect([403, 404], JSON.stringify(headers)).toContain(await statusOf(path, headers));
  }
  // The simulator's own way to say what was asked for.
  const disguised = { "MF-Original-URL": `${inject("serviceUrl")}${path}` };
  expect(await statusOf("/docs", {})).toBe(200);
  expect([403, 404]).toContain(await statusOf("/docs", disguised));
});

test("the starting program runs scheduled work through them", async () => {
  const headers = { "X-Orbweaver-Local-Token": inject("localToken") };
  expect(await statusOf("/cdn-cgi/local/scheduled", headers)).toBe(200);
});
