import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Reply } from "../../bench/client.ts";
import { articlePage, scriptedPage } from "../../bench/load/article-pages.ts";
import { closedLoop, latencies } from "../../bench/load/closed-loop.ts";
import { averageServerTiming } from "../../bench/load/server-timing.ts";
import { costOf } from "../../bench/proc.ts";

const reply = (headers: Reply["headers"] = {}, ms = 1): Reply => ({ status: 200, headers, body: Buffer.alloc(0), ms });

test("averages durations and counts of Server-Timing over all answers", () => {
  const replies = [
    reply({ "server-timing": 'fetch;dur=10.5, d1-write;desc="3", cache;desc=miss' }),
    reply({ "server-timing": 'fetch;dur=11.5, d1-write;desc="1", browser;dur=8' }),
  ];
  expect(averageServerTiming(replies)).toEqual({ "fetch ms": 11, "d1-write": 2, "browser ms": 4 });
});

test("takes percentiles by nearest rank", () => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect(latencies(values)).toEqual({ p50: 50, p95: 95, p99: 99 });
  expect(latencies([7])).toEqual({ p50: 7, p95: 7, p99: 7 });
});

test("keeps as many requests under way as asked, and counts what was wrong", async () => {
  let underWay = 0;
  let most = 0;
  const result = await closedLoop({
    concurrency: 3,
    requests: 10,
    send: async (_client, index) => {
      most = Math.max(most, ++underWay);
      await new Promise((done) => setTimeout(done, 5));
      underWay -= 1;
      return { ...reply(), status: index === 4 ? 500 : 200 };
    },
    judge: ({ status }) => (status === 200 ? undefined : `status ${status}`),
  });
  expect(most).toBe(3);
  expect(result).toMatchObject({ requests: 10, good: 9, failures: { "status 500": 1 } });
});

test("makes the same pages in every run, of the size that was asked for, each with its own sentence", () => {
  expect(articlePage(3)).toEqual(articlePage(3));
  expect(articlePage(3).html).not.toBe(articlePage(4).html);
  expect(Math.abs(articlePage(3).html.length - 170_000)).toBeLessThan(10_000);
  expect(Math.abs(articlePage(0, 1_000_000).html.length - 1_000_000)).toBeLessThan(10_000);
  expect(articlePage(3).html).toContain(articlePage(3).marker);
  expect(scriptedPage(3).html).not.toContain(scriptedPage(3).marker);
  expect(scriptedPage(3).data).toContain(scriptedPage(3).marker);
});

describe.runIf(existsSync("/proc/self/stat"))("costOf", () => {
  test("counts the CPU time of processes that come and go below the one that is measured", { retry: 3 }, async () => {
    // Measured by its own CPU time, since a busy machine gives it little in a given time. It stays for a while to be seen.
    const busyChild = "while (process.cpuUsage().user < 300_000); setTimeout(() => undefined, 1_000);";
    const { cost } = await costOf(process.pid, async () => {
      const child = spawn(process.execPath, ["-e", busyChild]);
      await new Promise((ended) => child.once("exit", ended));
    });
    expect(cost?.cpuMs).toBeGreaterThan(100);
    expect(cost?.peakBytes).toBeGreaterThan(10_000_000);
  });
});
