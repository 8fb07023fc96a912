import { expect, test } from "vitest";
import { startEgressProxy } from "../../../../src/tools/egress/egress-proxy.ts";

test("requests to servers that the settings name have a listener of their own, whose connections pages cannot take", async () => {
  const proxy = await startEgressProxy({ allowPrivateHosts: [], operatorHosts: [], ownHosts: [] });
  try {
    const { pages, operator } = proxy.workerAddresses;
    expect(new Set([pages, operator, proxy.browserAddress]).size).toBe(3);
  } finally {
    await proxy.close();
  }
});
