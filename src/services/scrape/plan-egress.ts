import { chooseRoutes, type EgressSettings } from "../../core/egress-routes.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import type { ScrapePlan } from "./scrape-plan.ts";

/**
 * Returns the plan with the egress routes of its load, and a warning about a kind of proxy that is not configured.
 * @throws AppError `BAD_REQUEST` for a name that is not configured.
 */
export function planEgress(
  plan: ScrapePlan,
  settings: EgressSettings,
  proxy: NonNullable<ScrapeOptions["proxy"]>,
): ScrapePlan {
  const egress = chooseRoutes(settings, { url: plan.page.url, proxy });
  const isMissing = (proxy === "stealth" || proxy === "enhanced") && !egress.isEnhanced;
  const warnings = isMissing
    ? [...plan.warnings, `proxy: this service has no ${proxy} proxies; the page was loaded ${wayOf(egress.routes)}.`]
    : plan.warnings;
  const isUsed = egress.routes.length > 0 || egress.ifBlocked.length > 0;
  return { ...plan, warnings, page: isUsed ? { ...plan.page, egress } : plan.page };
}

function wayOf([route]: readonly string[]): string {
  return route === undefined ? "directly" : `by the route ${route}`;
}
