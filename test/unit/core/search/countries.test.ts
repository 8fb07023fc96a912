import { expect, test } from "vitest";
import { countryCode, countryName, fipsCode } from "../../../../src/core/search/countries.ts";

test.each([
  ["DE", "de"],
  ["Germany", "de"],
  ["united states", "us"],
  ["the Netherlands", "nl"],
  ["Türkiye", "tr"],
  ["Turkey", "tr"],
  ["Bosnia and Herzegovina", "ba"],
  ["Democratic Republic of the Congo", "cd"],
  ["Côte d'Ivoire", "ci"],
  ["People's Republic of China", "cn"],
  ["UK", "gb"],
  ["constructor", undefined],
  ["Atlantis", undefined],
  ["", undefined],
])("the code of %s is %s", (name, code) => {
  expect(countryCode(name)).toBe(code);
});

test.each([
  ["at", "AU"],
  ["au", "AS"],
  ["ch", "SZ"],
  ["cn", "CH"],
  ["de", "GM"],
  ["es", "SP"],
  ["gb", "UK"],
  ["jp", "JA"],
  ["us", "US"],
  ["ax", undefined],
  ["zz", undefined],
])("the FIPS code of %s is %s", (code, fips) => {
  expect(fipsCode(code)).toBe(fips);
});

test("a name that is none of a country is undefined", () => {
  expect([countryName("at"), countryName("yy"), countryName("toString")]).toEqual(["Austria", undefined, undefined]);
});
