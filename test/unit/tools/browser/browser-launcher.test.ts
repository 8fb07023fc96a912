import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { browserLauncher } from "../../../../src/tools/browser/browser-launcher.ts";
import { isRunning } from "../../../../src/tools/process/process-family.ts";

const GONE = { timeout: 15_000 };

let folder: string;
let launcher: string;
let profile: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "launcher-"));
  launcher = join(folder, "chrome");
  profile = join(folder, "browser-rendering", "profile-1");
  // A browser with one child process, both of which ignore that their starter goes.
  const browser = `#!/bin/sh\nif [ "$LEAVE" ]; then echo "$TMPDIR"; exit "$LEAVE"; fi\nsleep 600 &\necho $! > '${folder}/child'\necho $$ > '${folder}/browser'\nwait\n`;
  writeFileSync(join(folder, "browser's"), browser, { mode: 0o755 });
  writeFileSync(launcher, browserLauncher(join(folder, "browser's"), true), { mode: 0o755 });
});
afterEach(() => {
  for (const name of ["child", "browser"]) {
    const pid = pidIn(name);
    if (pid !== undefined && isRunning(pid)) process.kill(pid, "SIGKILL");
  }
  rmSync(folder, { recursive: true, force: true });
});

function pidIn(name: string): number | undefined {
  const path = join(folder, name);
  return (existsSync(path) && Number(readFileSync(path, "utf8"))) || undefined;
}

const runningPids = (): number[] => [pidIn("browser"), pidIn("child")].flatMap((pid) => pid ?? []).filter(isRunning);

/** As the local browser binding launches it: in a process group of its own, by a process that can be killed. */
async function launch(): Promise<{ starter: number; script: number }> {
  const program = `const child = require("node:child_process").spawn(process.argv[1], [process.argv[2]], { detached: true });
    require("node:fs").writeFileSync(process.argv[3], String(child.pid)); setInterval(() => {}, 1000);`;
  const words = [launcher, `--user-data-dir=${profile}`, join(folder, "script")];
  const starter = spawn(process.execPath, ["-e", program, ...words], { stdio: "ignore" });
  await expect.poll(runningPids, GONE).toHaveLength(2);
  return { starter: starter.pid ?? 0, script: pidIn("script") ?? 0 };
}

describe.runIf(process.platform === "linux")("the browser's launcher", () => {
  test("ends with the browser's exit code", () => {
    expect(spawnSync(launcher, [], { env: { ...process.env, LEAVE: "7" } }).status).toBe(7);
  });

  test("lets the browser put temporary files beside the binding's folder, where sockets can be there", () => {
    const temporaryOf = (place: string): string => {
      const words = [`--user-data-dir=${place}/browser-rendering/profile-1`];
      const env = { PATH: process.env["PATH"], LEAVE: "0", TMPDIR: "/before" };
      return spawnSync(launcher, words, { env, encoding: "utf8" }).stdout.trim();
    };
    expect(temporaryOf(`${folder}/miniflare-1`)).toBe(folder);
    expect(temporaryOf(`${folder}/${"long".repeat(20)}/miniflare-1`)).toBe("/before");
    expect(temporaryOf(folder)).toBe("/before");
  });

  test("lets the service go first: a session of its own has less of the processor, and its processes cannot change that", () => {
    const browser = "#!/bin/sh\nnice\nnice -n -8 nice\ncat /proc/$$/autogroup\n";
    writeFileSync(join(folder, "browser's"), browser, { mode: 0o755 });
    const said = (words: string[]): string[] => {
      const { stdout } = spawnSync(words[0] ?? "", words.slice(1), { encoding: "utf8" });
      return stdout.trim().split("\n");
    };
    const [before = ""] = said(["nice"]);
    const own = said(["setsid", "--wait", launcher]);
    expect(own.slice(0, 2)).toEqual([String(Number(before) + 3), String(Number(before) + 3)]);
    // Kernels without groups of sessions have no such file.
    expect(own[2] ?? "nice 5").toMatch(/nice 5$/);
    expect(said([launcher])[2] ?? "").not.toMatch(/nice 5$/);
  });

  test("adds its flags to those of the binding, and opens no page of the binding's", () => {
    writeFileSync(join(folder, "browser's"), '#!/bin/sh\nprintf "%s\\n" "$@"\n', { mode: 0o755 });
    const words = ["about:blank", "--disable-features=Translate,MediaRouter", "--headless=new"];
    const flags = spawnSync(launcher, words, { encoding: "utf8" }).stdout.trim().split("\n");
    expect(flags).toEqual(expect.arrayContaining(["--no-startup-window", "--disable-quic", "--headless=new"]));
    expect(flags.filter((flag) => flag.startsWith("--disable-features"))).toEqual([
      expect.stringMatching(/^--disable-features=Translate,MediaRouter,.*FedCm/),
    ]);
    expect(flags).not.toContain("about:blank");
  });

  test("ends the browser, its children and its profile when the starter is killed", async () => {
    const { starter, script } = await launch();
    expect(existsSync(join(profile, "Default", "Preferences"))).toBe(true);
    process.kill(starter, "SIGKILL");
    await expect.poll(() => [...runningPids(), ...[script].filter(isRunning)], GONE).toEqual([]);
    expect(existsSync(profile)).toBe(false);
  });

  test("ends the browser and its children when the script itself is killed", async () => {
    const { starter, script } = await launch();
    process.kill(script, "SIGKILL");
    await expect.poll(runningPids, GONE).toEqual([]);
    process.kill(starter, "SIGKILL");
  });

  test("leaves a profile alone that is not the binding's", async () => {
    profile = join(folder, "mine");
    mkdirSync(profile);
    const { starter } = await launch();
    process.kill(starter, "SIGKILL");
    await expect.poll(runningPids, GONE).toEqual([]);
    expect(existsSync(profile)).toBe(true);
  });
});
