import { describe, expect, test } from "vitest";
import type { Probe } from "../../../../src/ports/readiness.ts";
import { databaseWarning } from "../../../../src/platform/metering/watched-database.ts";
import { checkReadiness, type ReadinessMemory } from "../../../../src/services/upkeep/check-readiness.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { testApp } from "../../../fakes/services/test-app.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const never = (): Promise<void> => new Promise(() => {});
const fine = async (): Promise<void> => {};
const broken = async (): Promise<void> => {
  throw new Error("D1_ERROR: no such table, key fc-secret");
};
const required = (run: Probe["run"]): Probe => ({ name: "database", isRequired: true, run });
const optional = (run: Probe["run"]): Probe => ({ name: "browser", isRequired: false, run });

/** `sleep` ends at once unless the probe was faster, as a clock without time between would. */
function parts(probes: Probe[], memory: ReadinessMemory = {}) {
  const clock = fixedClock();
  const sleep = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
  return { clock, probes, memory, sleep, log: () => {} };
}

describe("readiness", () => {
  test("tells of a database above 80 % of what it holds, and stays ready", async () => {
    const nearlyFull = async () => databaseWarning(8_500_000_000);
    const report = await checkReadiness(parts([required(nearlyFull), optional(fine)]));
    expect(report).toMatchObject({ status: "ready", warning: expect.stringContaining("85 % of its 10 GB") });
    const response = await testApp(testDeps({ readiness: { check: async () => report } })).app.request("/health/ready");
    expect(await response.json()).toEqual(report);
    expect(await checkReadiness(parts([required(async () => databaseWarning(8_000_000_000))]))).toEqual({
      status: "ready",
      checks: { database: "ok" },
    });
  });

  test.each([
    { why: "everything answers", probes: [required(fine), optional(fine)], status: "ready" },
    {
      why: "something is missing that some requests miss",
      probes: [required(fine), optional(broken)],
      status: "degraded",
    },
    { why: "something needed fails", probes: [required(broken), optional(fine)], status: "unavailable" },
    {
      why: "something needed does not answer in time",
      probes: [required(never), optional(fine)],
      status: "unavailable",
    },
    {
      why: "a probe fails before it begins",
      probes: [
        required(() => {
          throw new Error("not bound");
        }),
      ],
      status: "unavailable",
    },
  ])("is $status when $why", async ({ probes, status }) => {
    expect((await checkReadiness(parts(probes))).status).toBe(status);
  });

  test("is asked for once in five seconds", async () => {
    let asked = 0;
    const uses = parts([
      required(async () => {
        asked++;
      }),
    ]);
    await checkReadiness(uses);
    await checkReadiness(uses);
    uses.clock.advance(5_000);
    await checkReadiness(uses);
    expect(asked).toBe(2);
  });

  test("is checked once for requests at the same time, which receive the last report or wait for the new one", async () => {
    let [asked, isFine] = [0, true];
    const uses = parts([
      required(async () => {
        asked++;
        await new Promise((resolve) => setTimeout(resolve, 1));
        if (!isFine) throw new Error("down");
      }),
    ]);
    const ask = async () => {
      const reports = await Promise.all(Array.from({ length: 100 }, () => checkReadiness(uses)));
      return reports.map(({ status }) => status);
    };
    expect(new Set(await ask())).toEqual(new Set(["ready"]));
    expect(asked).toBe(1);
    isFine = false;
    uses.clock.advance(5_000);
    expect(await ask()).toEqual(["unavailable", ...Array.from({ length: 99 }, () => "ready")]);
    expect(asked).toBe(2);
    // A report of an hour ago says nothing.
    uses.clock.advance(3_600_000);
    isFine = true;
    expect(new Set(await ask())).toEqual(new Set(["ready"]));
    expect(asked).toBe(3);
  });

  test("is checked again after a check whose request was cancelled", async () => {
    const uses = parts([required(fine)]);
    uses.memory.runningSinceMs = uses.clock.now();
    uses.clock.advance(4_000);
    expect((await checkReadiness(uses)).status).toBe("ready");
  });
});

describe("GET /health/ready", () => {
  test("answers 503 with what failed, and not why", async () => {
    const readiness = { check: () => checkReadiness(parts([required(broken)])) };
    const { app } = testApp(testDeps({ readiness }));
    for (const path of ["/health/ready", "/v0/health/readiness"]) {
      const response = await app.request(path);
      expect(response.status).toBe(503);
      const text = await response.text();
      expect(JSON.parse(text)).toMatchObject({
        success: false,
        code: "SERVICE_UNAVAILABLE",
        details: { checks: { database: "failed" } },
      });
      expect(text).not.toContain("no such table");
    }
    expect((await app.request("/health")).status).toBe(200);
  });

  test("answers without a key when everything is there", async () => {
    const response = await testApp(testDeps()).app.request("/health/ready");
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ status: "ready" });
  });
});
