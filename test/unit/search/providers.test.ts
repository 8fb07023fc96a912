import { describe, expect, test } from "vitest";
import { searchProviderContract } from "../../contracts/search-provider.ts";
import { PROVIDER_CASES } from "../../fakes/upstream/provider-cases.ts";
import { PROVIDER_NAMES } from "../../../src/search/provider-order.ts";

for (const providerCase of PROVIDER_CASES) searchProviderContract(providerCase);

describe("the list of providers", () => {
  test("is under contract as a whole", () => {
    const tested = new Set(PROVIDER_CASES.map(({ name }) => name));
    expect(PROVIDER_NAMES.filter((name) => !tested.has(name))).toEqual([]);
  });
});
