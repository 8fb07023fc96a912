import { getScrape, scrape } from "./scrape.ts";

/** Every route under /v1: translations in front of the v2 services. */
export const v1Routes = [scrape, getScrape] as const;
