import { expect, test } from "vitest";
import type { HostReport } from "../../../../src/core/crawl/host-throttle.ts";
import type { Deps } from "../../../../src/services/deps.ts";
import { reportHosts } from "../../../../src/services/jobs/report-hosts.ts";

test("the throttle of a host, which all teams share, is told of failing pages without their URLs", async () => {
  const reports: HostReport[] = [];
  const hostThrottle = { report: async (_host: string, report: HostReport) => void reports.push(report) };
  const urls = ["/a?token=secret", "/a?token=secret", "/b"].map((path) => `https://shop.example${path}`);
  const outcomes = urls.map((url) => ({ url, report: { statusCode: 503 } }));
  await reportHosts({ hostThrottle } as unknown as Pick<Deps, "hostThrottle">, "key", outcomes as never);
  expect(JSON.stringify(reports)).not.toContain("secret");
  const pages = reports.map(({ page }) => page ?? "");
  expect(pages[0]).toBe(pages[1]);
  expect(new Set(pages).size).toBe(2);
  for (const page of pages) expect(page).toMatch(/^[0-9a-z]{1,11}$/);
});
