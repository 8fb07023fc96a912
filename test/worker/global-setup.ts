import { rm } from "node:fs/promises";
import type { TestProject } from "vitest/node";
import { isHeadlessShell } from "../../src/tools/browser/installed-browser.ts";
import { seedBrowser } from "../../src/tools/browser/seed-browser.ts";
import { makeOwnedFolder } from "../../src/tools/process/run-leftovers.ts";
import { startSandboxHost } from "../../src/tools/sandbox-host/start-sandbox-host.ts";
import { startSite } from "../site/start-site.ts";
import { startAttackSite } from "./browser/attack-site.ts";
import { startTlsSite } from "./scrape/tls-site.ts";

declare module "vitest" {
  interface ProvidedContext {
    siteUrl: string;
    otherSiteUrl: string;
    attackUrl: string;
    tlsUrl: string;
    /** Of a sandbox host; see `tools/sandbox-host`. */
    sandboxUrl: string;
    /** Sessions that end in each of three ways, and loads of one pool: few, unless the environment asks for more. */
    sessionEnds: number;
    poolLoads: number;
    /** Whether the browser reads policies from its profile, which a headless shell does not. */
    hasBrowserPolicies: boolean;
  }
}

/** What worker tests need from outside of workerd: a browser, and web sites to load. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Of the simulator and of its browsers, which do not remove theirs when they are stopped.
  const temporary = makeOwnedFolder("test");
  process.env["TMPDIR"] = temporary;
  const browser = await seedBrowser({ log: console.log });
  const site = await startSite();
  const attack = await startAttackSite();
  const sealed = await startTlsSite();
  project.provide("siteUrl", site.url);
  project.provide("otherSiteUrl", site.otherUrl);
  project.provide("attackUrl", attack.url);
  project.provide("tlsUrl", sealed.url);
  project.provide("sessionEnds", Number(process.env["SESSION_ENDS"] ?? 1));
  project.provide("hasBrowserPolicies", browser.kind === "download" || !isHeadlessShell(browser.path));
  project.provide("poolLoads", Number(process.env["POOL_LOADS"] ?? 21));
  const sandbox = await startSandboxHost();
  project.provide("sandboxUrl", sandbox.url);
  return async () => {
    await Promise.all([site.close(), attack.close(), sealed.close(), sandbox.close()]);
    await rm(temporary, { recursive: true, force: true, maxRetries: 3 });
  };
}
