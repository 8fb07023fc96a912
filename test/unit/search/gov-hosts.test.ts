import { expect, test } from "vitest";
import { isOnSite } from "../../../src/core/search/search-query.ts";
import { GOV_SITES, MAIN_GOV_SITES } from "../../../src/search/gov-hosts.ts";

test.each([
  "https://nasa.gov/",
  "https://www.navy.mil/x",
  "https://www.service.gov.uk/",
  "https://www.impots.gouv.fr/",
  "https://www.bsi.bund.de/",
  "https://eur-lex.europa.eu/",
  "https://www.statcan.gc.ca/",
  "https://www.meti.go.jp/",
  "https://www.gob.mx/",
  "https://www.health.govt.nz/",
])("%s is on the host of a government", (url) => {
  expect(isOnSite(url, GOV_SITES)).toBe(true);
});

test.each([
  "https://gov.example/",
  "https://notgov/",
  "https://mygov.com/",
  "https://go.com/",
  "https://gouv.example.fr/",
])("%s is not", (url) => {
  expect(isOnSite(url, GOV_SITES)).toBe(false);
});

test("the list has each site once, and those for engines among them", () => {
  expect(new Set(GOV_SITES).size).toBe(GOV_SITES.length);
  expect(MAIN_GOV_SITES.filter((site) => !isOnSite(`https://${site}/`, GOV_SITES))).toEqual([]);
});
