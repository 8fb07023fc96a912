import type { Monitor } from "../../src/core/monitors/monitor.ts";

/** A monitor of one page. */
export function someMonitor(teamId: string, createdAtMs: number): Monitor {
  return {
    id: crypto.randomUUID(),
    teamId,
    keyId: crypto.randomUUID(),
    name: "Prices",
    status: "active",
    config: {
      schedule: { cron: "0 * * * *", timezone: "UTC" },
      targets: [{ id: crypto.randomUUID(), type: "scrape", urls: ["https://a.example/"] }],
      webhook: null,
      retentionDays: 30,
      goal: null,
      judgeEnabled: false,
      publicOrigin: "https://api.example",
      ownHosts: [],
    },
    nextRunAtMs: undefined,
    lastRunAtMs: undefined,
    currentCheckId: undefined,
    lastSummary: undefined,
    createdAtMs,
    updatedAtMs: createdAtMs,
  };
}
