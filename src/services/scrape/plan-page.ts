import { AppError } from "../../core/errors.ts";
import { PRIVATE_HOST_HINT, bareHostname, isOpenedHost } from "../../core/url/outbound-policy.ts";
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

/**
 * Refuses `localhost`, which is no public host, except where it is allowed for development, on every port or on this one.
 * @throws AppError `BAD_REQUEST`
 */
export function assertLoadable(url: string, { settings }: Pick<Deps, "settings">): void {
  const parsed = new URL(toAbsoluteUrl(url));
  if (bareHostname(parsed) !== "localhost" || isOpenedHost(parsed, settings)) return;
  const message = `${NO_TOP_LEVEL_DOMAIN}${PRIVATE_HOST_HINT}`;
  const issue = { code: "custom", path: ["url"], message };
  throw new AppError("BAD_REQUEST", message, { details: [issue] });
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
