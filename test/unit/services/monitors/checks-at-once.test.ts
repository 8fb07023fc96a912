import { expect, test } from "vitest";
import { FairAdmission } from "../../../../src/core/waits/fair-admission.ts";
import type { Engine } from "../../../../src/engines/engine.ts";
import { monitorService, PRICES, pricePage } from "../../../fakes/services/monitor-service.ts";

test("of many checks that run at a time, the pages of a few are worked on", async () => {
  let atOnce = 0;
  let most = 0;
  const engine: Engine = {
    engine: "fetch",
    provides: new Set(),
    async load({ url }) {
      most = Math.max(most, ++atOnce);
      await new Promise((resolve) => setTimeout(resolve, 5));
      atOnce--;
      const page = { engine: "fetch" as const, url, statusCode: 200, headers: {}, contentType: "text/html" };
      return { kind: "loaded", page: { ...page, body: pricePage("Cod costs 4"), warnings: [] } };
    },
  };
  const checks = new FairAdmission({ places: 2, isProcessorBusy: () => true });
  const service = monitorService({ ports: { checks, engines: [engine] } });
  const started: { id: string; checkId: string }[] = [];
  for (let monitor = 0; monitor < 10; monitor++) {
    const urls = [1, 2, 3].map((page) => `https://a.example/${monitor}/${page}`);
    const id = await service.create({ ...PRICES, targets: [{ type: "scrape", urls }] });
    started.push({ id, checkId: await service.start(id) });
  }
  await Promise.all(service.runs.splice(0).map((checkId) => service.runCheck(checkId)));
  expect(most).toBe(2);
  for (const { id, checkId } of started) {
    const check = await service.readCheck(id, checkId);
    expect([check.status, check.pages.length]).toEqual(["completed", 3]);
  }
});
