import { AppError } from "../../core/errors.ts";
import { bareHostname } from "../../core/url/outbound-policy.ts";
import { NO_TOP_LEVEL_DOMAIN, toAbsoluteUrl } from "../../core/url/url.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import type { Deps } from "../deps.ts";
import { planEgress } from "./plan-egress.ts";
import { planScrape, type ScrapeDefaults, type ScrapePlan } from "./scrape-plan.ts";

interface PageToPlan {
  url: string;
  options: ScrapeOptions;
  defaults: ScrapeDefaults;
  zeroDataRetention: boolean;
}

/**
 * Plans the scrape of a page on the web.
 * @throws AppError `BAD_REQUEST` for a host that is not public and for an unknown proxy, `SCRAPE_ZDR_VIOLATION_ERROR` for options that store
 * files.
 */
export function planPage(deps: Pick<Deps, "settings">, request: PageToPlan): ScrapePlan {
  assertLoadable(request.url, deps);
  const { url, options, defaults } = request;
  const plan = planScrape(url, options, defaults);
  assertStorable(plan, request);
  return planEgress(plan, deps.settings.egress, options.proxy ?? defaults.proxy);
}

/** Refuses `localhost`, which is no public host, except where it is allowed for development. */
export function assertLoadable(url: string, { settings }: Pick<Deps, "settings">): void {
  const hostname = bareHostname(new URL(toAbsoluteUrl(url)));
  if (hostname !== "localhost" || settings.allowPrivateHosts.includes(hostname)) return;
  const issue = { code: "custom", path: ["url"], message: NO_TOP_LEVEL_DOMAIN };
  throw new AppError("BAD_REQUEST", NO_TOP_LEVEL_DOMAIN, { details: [issue] });
}

/** Refuses screenshots and PDFs with zero data retention, since they are stored as files for a while. */
function assertStorable(plan: ScrapePlan, { zeroDataRetention }: Pick<PageToPlan, "zeroDataRetention">): void {
  if (!zeroDataRetention) return;
  const makesFiles = plan.page.screenshot !== undefined || plan.page.actions.some(({ type }) => FILE_ACTIONS.has(type));
  if (makesFiles) {
    throw new AppError(
      "SCRAPE_ZDR_VIOLATION_ERROR",
      "Screenshots and PDFs are kept as files, which zeroDataRetention forbids",
    );
  }
}

const FILE_ACTIONS: ReadonlySet<string> = new Set(["screenshot", "pdf", "generatePDF"]);
