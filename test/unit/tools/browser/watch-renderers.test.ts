import { spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { shortAndLong } from "../../../sample.ts";
import { endLargeRenderers } from "../../../../src/tools/browser/watch-renderers.ts";

const BROWSERS = ["/usr/bin/chromium", "/usr/lib/chromium/chromium-headless-shell"];
const MEGABYTE = 1_000_000;
let folder: string;

beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "renderers-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));

function addProcess(pid: string, commandLine: string, kibibytes: number, group = 20): void {
  mkdirSync(join(folder, pid));
  writeFileSync(join(folder, pid, "cmdline"), commandLine);
  writeFileSync(join(folder, pid, "stat"), `${pid} (a (b) c) S 1 ${group} ${group} 0 -1\n`);
  writeFileSync(join(folder, pid, "status"), `Name:\tchromium\nVmPeak:\t 9000000 kB\nVmRSS:\t ${kibibytes} kB\n`);
}

test("ends the renderers of the named profiles that use too much, and nothing else", () => {
  const renderer = "chromium --type=renderer --lang=en";
  addProcess("10", renderer, 1_600_000);
  addProcess("11", renderer, 1_400_000);
  addProcess("12", renderer.replaceAll(" ", "\0"), 2_000_000);
  addProcess("13", "chromium\0--user-data-dir=/run/profile-1", 3_000_000);
  addProcess("14", renderer, 3_000_000, 21);
  addProcess("16", "chromium\0--user-data-dir=/run/profile-10", 3_000_000, 21);
  addProcess("15", renderer.replace("=renderer", "=utility"), 3_000_000);
  const gpu = renderer.replace("=renderer", "=gpu-process");
  addProcess("17", gpu, 1_900_000);
  addProcess("18", gpu, 2_000_000);
  addProcess("19", gpu, 3_000_000, 21);
  mkdirSync(join(folder, "self"));
  const killed: number[] = [];
  const kill = (pid: number): void => void killed.push(pid);
  const ended = endLargeRenderers(["/run/profile-1"], { proc: folder, kill });
  expect(ended.map(({ bytes }) => bytes / 1024)).toEqual([1_600_000, 2_000_000, 2_000_000]);
  expect(killed).toEqual([10, 12, 18]);
  expect(endLargeRenderers([], { proc: folder, kill })).toEqual([]);
  expect(endLargeRenderers(["/run/profile-1"], { proc: join(folder, "none"), kill })).toEqual([]);
});

test("ends pages where all together use more than they may: of the largest browser, large ones, then the newest", () => {
  addProcess("10", "chromium\0--user-data-dir=/run/profile-1", 3_000_000);
  addProcess("20", "chromium\0--user-data-dir=/run/profile-2", 3_000_000, 21);
  const renderer = "chromium --type=renderer";
  const add = (pid: string, own: number, { group = 20, startedAt = Number(pid), command = renderer } = {}): void => {
    addProcess(pid, command, own + 100_000, group);
    writeFileSync(
      join(folder, pid, "stat"),
      `${pid} (a (b) c) S 1 ${group} ${group}${" 0".repeat(15)} ${startedAt} 0\n`,
    );
    appendFileSync(join(folder, pid, "status"), `RssAnon:\t ${own} kB\nRssFile:\t 100000 kB\n`);
  };
  add("11", 300_000);
  add("12", 300_000, { startedAt: 99 });
  add("13", 700_000);
  add("14", 200_000);
  add("15", 900_000, { command: renderer.replace("=renderer", "=gpu-process") });
  add("21", 450_000, { group: 21 });
  add("22", 450_000, { group: 21 });
  const killed: number[] = [];
  const limits = { proc: folder, kill: (pid: number): void => void killed.push(pid) };
  const endedAt = (kibibytes: number): number[] => {
    endLargeRenderers(["/run/profile-1", "/run/profile-2"], { ...limits, maxTotalBytes: kibibytes * 1024 });
    return killed.splice(0);
  };
  expect(endedAt(2_400_000), "what draws has a limit of its own").toEqual([]);
  expect(endedAt(2_100_000)).toEqual([13]);
  expect(endedAt(1_400_000), "then the other browser uses more").toEqual([13, 22]);
  expect(endedAt(1_100_000), "the newest").toEqual([13, 22, 12]);
  expect(endedAt(0), "the process that draws stays").toHaveLength(6);
});

const installed = BROWSERS.filter((path) => existsSync(path));
for (const { tags, entries } of shortAndLong(installed, (path) => path === installed.at(-1)))
  test.runIf(process.platform === "linux").each(entries)(
    "ends a page of %s that allocates buffers, and leaves the browser",
    { tags, timeout: 30_000 },
    async (executable) => {
      const page = join(folder, "page.html");
      writeFileSync(page, "<script>const kept = []; for (let i = 0; i < 12; i++) kept.push(new Uint8Array(5e7).fill(1)); setInterval(() => kept.length, 1e3)</script>"); // prettier-ignore
      const profile = join(folder, "profile");
      const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", `--user-data-dir=${profile}`, "--remote-debugging-port=0", `file://${page}`]; // prettier-ignore
      const browser = spawn(executable, flags, { stdio: "ignore", detached: true });
      try {
        let ended: { bytes: number }[] = [];
        for (let round = 0; round < 200 && ended.length === 0; round++) {
          await sleep(100);
          ended = endLargeRenderers([profile], { maxBytes: 400 * MEGABYTE });
        }
        expect(ended).toHaveLength(1);
        expect(ended[0]?.bytes).toBeGreaterThan(400 * MEGABYTE);
        await sleep(300);
        expect(browser.exitCode).toBeNull();
      } finally {
        if (browser.pid !== undefined) process.kill(-browser.pid, "SIGKILL");
      }
    },
  );
