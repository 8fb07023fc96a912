import { execFile } from "node:child_process";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import { OFFLINE_CHECKS } from "../../../src/tools/deployment/offline-checks.ts";
import { PROJECT_ROOT } from "../../../src/tools/service/wrangler.ts";
import { TEST_CERTIFICATE } from "../../site/test-certificate.ts";
import { hits } from "../client.ts";
import { inject } from "../inject.ts";

const PROGRAM = `${import.meta.dirname}/../../../src/tools/deploy.ts`;
const run = promisify(execFile);
/** The size that the compressed bundle may reach, in KiB. What a library brings and never runs belongs in no bundle. */
const MAX_BUNDLE_KIB = 1_872;
/** As it is kept for services, with escapes for what is not ASCII. */
const MAX_KEPT_KIB = MAX_BUNDLE_KIB + 8;
/** Bundles the Worker and makes a database: on a busy machine a minute. */
const PATIENCE = { timeout: 240_000 };

// The configuration of the free plan is that of `wrangler.toml` without two parts.
test(
  "a deployment can be tried without an account, also of the free plan",
  { tags: ["long"], ...PATIENCE },
  async () => {
    const words = ["--dry-run", "--free"];
    const { stdout } = await run(process.execPath, [PROGRAM, ...words], { env: { ...process.env, API_KEY: "" } });
    for (const { name } of OFFLINE_CHECKS) expect(stdout).toContain(`[deploy] ${name}: `);
    expect(OFFLINE_CHECKS.map(({ name }) => name)).toEqual([
      "Settings",
      "Configuration",
      "Bundle",
      "Assets",
      "Migrations",
    ]);
    expect(stdout).toContain("in order");
    expect(Number(/, ([\d.]+) KiB compressed/.exec(stdout)?.[1])).toBeLessThan(MAX_BUNDLE_KIB);
  },
);

// Each service of these tests is bundled from `wrangler.toml` by the same command, and applies the same migrations.
test("the configuration of the paid plan passes the checks that build nothing", PATIENCE, async () => {
  const wrangler = (): never => {
    throw new Error("A check that builds nothing has started wrangler");
  };
  const config = unstable_readConfig({ config: join(PROJECT_ROOT, "wrangler.toml") });
  expect(config.worker_loaders).toHaveLength(1);
  const quick = OFFLINE_CHECKS.filter(({ name }) => !["Bundle", "Migrations"].includes(name));
  const found = await Promise.all(quick.map(({ run: look }) => look({ wrangler, configWords: [], config, given: {} })));
  expect(found).toEqual([
    expect.stringMatching(/^\d+ settings, 0 of them given$/),
    expect.stringMatching(/^\d+ Durable Objects, \d queues/),
    expect.stringMatching(/^\d+ files, the largest /),
  ]);
  // That of this run's services, besides older ones.
  const bundles = join(PROJECT_ROOT, "dist", "worker");
  const paths = (await readdir(bundles)).map((name) => join(bundles, name, "service.mjs"));
  const sizes = await Promise.all(paths.map(async (path) => gzipSync(await readFile(path)).byteLength / 1_024));
  expect(sizes.length).toBeGreaterThan(0);
  for (const size of sizes) expect(size).toBeLessThan(MAX_KEPT_KIB);
});

test("a deployment with a bad setting ends before anything is done", PATIENCE, async () => {
  const env = { ...process.env, ADMIN_KEY: "password" };
  const failure = await run(process.execPath, [PROGRAM, "--dry-run"], { env }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 1, stderr: expect.stringContaining("ADMIN_KEY: must be fc-") });
});

/** Runs the check of the test's service. */
async function check(words: string[], env: Record<string, string> = {}) {
  const all = { ...process.env, API_KEY: "", ADMIN_KEY: inject("adminKey"), ...env };
  const url = ["--url", inject("serviceUrl")];
  const ended = run(process.execPath, [PROGRAM, "--check", ...url, ...words], { env: all });
  return await ended.then(
    ({ stdout }) => ({ code: 0, stdout, stderr: "" }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
  );
}

/** Returns the result and the finding of each check in the table. */
function readTable(text: string): Record<string, [result: string, found: string]> {
  const rows = [...text.matchAll(/^(\w+) +(ok|warning|failed|skipped) +\d+ {2}(.+)$/gm)];
  return Object.fromEntries(rows.map(([, name = "", result = "", found = ""]) => [name, [result, found]]));
}

describe("the check of a deployment", () => {
  let certificateSite: Server;
  let badCertificate: string;
  beforeAll(async () => {
    const { key, certificate: cert } = TEST_CERTIFICATE;
    certificateSite = createServer({ key, cert }, (_request, response) => void response.end("Behind a seal"));
    await new Promise<void>((resolve) => certificateSite.listen(0, "127.0.0.1", resolve));
    badCertificate = `https://127.0.0.1:${(certificateSite.address() as AddressInfo).port}/`;
  });
  afterAll(() => certificateSite.close());

  test(
    "names each binding with its result, what a site sees, and how bad certificates and names end",
    PATIENCE,
    async () => {
      const words = ["--echo", `${inject("siteUrl")}/echo`, "--bad-certificate", badCertificate];
      const { code, stdout } = await check(words);
      const table = readTable(stdout);
      expect(table).toEqual({
        headers: ["ok", expect.any(String)],
        address: ["skipped", expect.stringContaining("does not state the address")],
        dns: ["ok", expect.stringContaining("SCRAPE_DNS_RESOLUTION_ERROR")],
        certificates: ["ok", expect.stringContaining("SCRAPE_SSL_ERROR")],
        browser: ["ok", expect.stringMatching(/^Status 200, waited \d+ ms for a browser, loaded in \d+ ms/)],
        database: ["ok", expect.any(String)],
        bucket: ["ok", expect.any(String)],
        objects: ["ok", expect.any(String)],
        queue: ["ok", expect.stringMatching(/consumed \d+ ms after/)],
      });
      expect(stdout).toContain("No check has failed");
      expect(code).toBe(0);
      expect(await hits("/echo")).toBeGreaterThanOrEqual(2);
    },
  );

  test(
    "fails when a certificate is accepted that must not be, and names the header that shows the caller to sites",
    PATIENCE,
    async () => {
      const { code, stdout } = await check(["--bad-certificate", `${inject("siteUrl")}/final`]);
      const table = readTable(stdout);
      expect(table["certificates"]).toEqual(["failed", expect.stringContaining("is accepted (status 200)")]);
      // The simulator adds the header for a caller on this machine, as the platform does for sites outside of it.
      expect(table["headers"]).toEqual(["warning", expect.stringContaining("the caller in cf-connecting-ip")]);
      expect(table["address"]).toEqual(["ok", expect.stringContaining("(cf-connecting-ip)")]);
      expect(table["browser"]).toEqual(["ok", expect.stringMatching(/^Status 200, .*cf-connecting-ip: /)]);
      expect(stdout).toContain("Failed: certificates");
      expect(code).toBe(1);
    },
  );

  test("needs the admin key, an address, and encryption for a service elsewhere", PATIENCE, async () => {
    const refused = await check([], { ADMIN_KEY: inject("apiKey") });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("status 403") });
    const open = await check(["--url", "http://orbweaver.example/"]);
    expect(open).toMatchObject({ code: 1, stderr: expect.stringContaining("https only") });
  });

  test.each([{ echoUrl: "ftp://a.example/" }, { badCertificateUrl: "no URL" }])("refuses %o", async (body) => {
    const headers = { authorization: `Bearer ${inject("adminKey")}`, "content-type": "application/json" };
    const request = { method: "POST", headers, body: JSON.stringify(body) };
    const response = await fetch(`${inject("serviceUrl")}/service/check`, request);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(Object.keys(body)[0]);
  });
});
