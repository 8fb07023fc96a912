import { expect, test } from "vitest";
import { regionOf } from "../../../../src/core/sessions/pool-region.ts";

test.each([
  [{ continent: "EU", longitude: "2.3" }, "weur"],
  [{ continent: "EU", longitude: "30.5" }, "eeur"],
  [{ continent: "NA", longitude: "-122.4" }, "wnam"],
  [{ continent: "NA", longitude: "-73.9" }, "enam"],
  [{ continent: "NA" }, "enam"],
  [{ continent: "AS", longitude: "139.7" }, "apac"],
  [{ continent: "AS", longitude: "46.7" }, "me"],
  [{ continent: "OC", longitude: "151.2" }, "oc"],
  [{ continent: "T1" }, undefined],
  [{}, undefined],
  [{ continent: 7, longitude: 7 }, undefined],
])("a client in %j is served by browsers in %s", (place, region) => {
  expect(regionOf(place)).toBe(region);
});
