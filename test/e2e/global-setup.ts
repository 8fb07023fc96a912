import type { TestProject } from "vitest/node";
import { startSite } from "../site/start-site.ts";
import { startService } from "./service.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Address of the service, without a slash at the end. */
    serviceUrl: string;
    apiKey: string;
    adminKey: string;
    /** Two origins of one local web site; counts at `/__hits` (see `test/site`). */
    siteUrl: string;
    otherSiteUrl: string;
  }
}

/** One service and one site for all end-to-end tests; tests that stop or configure a service start their own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const site = await startSite();
  const service = await startService();
  project.provide("serviceUrl", service.url);
  project.provide("apiKey", service.key);
  project.provide("adminKey", service.adminKey);
  project.provide("siteUrl", site.url);
  project.provide("otherSiteUrl", site.otherUrl);
  return async () => {
    await service.stop();
    await site.close();
  };
}
