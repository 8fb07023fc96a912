import type { TestProject } from "vitest/node";
import { startSite } from "../site/start-site.ts";
import { startSchemaProxy } from "./schema-proxy.ts";
import { startService } from "./service.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Address of the service, without a slash at the end. */
    serviceUrl: string;
    apiKey: string;
    adminKey: string;
    /** Opens the simulator's own paths: the header `X-Orbweaver-Local-Token`. */
    localToken: string;
    /** Two origins of one local web site; counts at `/__hits` (see `test/site`). */
    siteUrl: string;
    otherSiteUrl: string;
  }
}

/** One service and one site for all end-to-end tests; tests that stop or configure a service start their own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const site = await startSite();
  const service = await startService({ settings: { PROFILE_ENCRYPTION_KEY: "5a".repeat(32) } });
  const proxy = await startSchemaProxy(service.url);
  project.provide("serviceUrl", proxy.url);
  project.provide("apiKey", service.key);
  project.provide("adminKey", service.adminKey);
  project.provide("localToken", service.localToken);
  project.provide("siteUrl", site.url);
  project.provide("otherSiteUrl", site.otherUrl);
  return async () => {
    await proxy.close();
    await service.stop();
    await site.close();
    const violations = [...proxy.violations];
    console.log(`Compared answers of ${proxy.checked.size} operations and statuses with their schemas.`);
    if (violations.length > 0) throw new Error(`Answers differ from their schemas:\n${violations.join("\n")}`);
  };
}
