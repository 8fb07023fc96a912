import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DISABLED_FEATURES } from "../../../../src/tools/browser/browser-flags.ts";
import { findInstalledBrowser, isHeadlessShell } from "../../../../src/tools/browser/installed-browser.ts";
import { seedBrowser } from "../../../../src/tools/browser/seed-browser.ts";
import { given } from "../../../fakes/given.ts";

const canShim = process.platform === "linux" || process.platform === "darwin";

describe.runIf(canShim)("seedBrowser", () => {
  let home: string;
  let browser: string;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "seed-browser-"));
    browser = join(home, "it's a browser");
    writeFileSync(browser, '#!/bin/sh\necho "Chromium 1.2.3 $@"\necho ready\n');
    chmodSync(browser, 0o755);
    vi.stubEnv("XDG_CACHE_HOME", home);
    vi.stubEnv("CHROME_PATH", browser);
  });

  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(home, { recursive: true });
  });

  const seed = () => seedBrowser({ log: () => undefined });

  function installation(): { folder: string; executable: string } {
    const chrome = join(home, ".wrangler", "chrome");
    const folder = join(chrome, given(readdirSync(chrome)[0]));
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const executable = given(files.find((file) => !file.name.startsWith(".")));
    return { folder, executable: join(executable.parentPath, executable.name) };
  }

  test("puts a script in the place of the binding's browser that starts the installed one with safe flags", async () => {
    expect(await seed()).toEqual({ kind: "installed", path: browser });
    const { folder, executable } = installation();
    const output = execFileSync(executable, ["--given", "--disable-features=One,Two", "a b"], { encoding: "utf8" });
    expect(output).toMatch(/^Chromium 1\.2\.3 .*--disable-quic.*--disable-background-networking.* --given /);
    expect(output).toContain(`--disable-features=One,Two,${DISABLED_FEATURES.join(",")} a b`);
    expect(existsSync(join(folder, ".miniflare-install-complete"))).toBe(true);
  });

  test("turns speculative prefetches off and blocks local URLs in new profiles", async () => {
    await seed();
    const profile = join(home, "new profile");
    execFileSync(installation().executable, [`--user-data-dir=${profile}`]);
    const preferences = JSON.parse(readFileSync(join(profile, "Default", "Preferences"), "utf8"));
    expect(preferences.net.network_prediction_options).toBe(2);
    expect(preferences.policy.url_blocklist).toContain("file://*");
  });

  test("leaves one script and nothing else when it runs several times at once", async () => {
    await Promise.all([seed(), seed(), seed()]);
    const { folder, executable } = installation();
    expect(readdirSync(dirname(executable))).toHaveLength(1);
    expect(readdirSync(folder)).toHaveLength(2);
  });

  test("writes the script anew when the browser moved", async () => {
    await seed();
    const moved = join(home, "moved");
    mkdirSync(moved);
    writeFileSync(join(moved, "chrome"), "#!/bin/sh\necho Chromium 4.5.6\n", { mode: 0o755 });
    vi.stubEnv("CHROME_PATH", join(moved, "chrome"));
    await seed();
    expect(execFileSync(installation().executable, { encoding: "utf8" })).toContain("4.5.6");
  });

  test("leaves a browser alone that the binding downloaded itself", async () => {
    await seed();
    const { executable } = installation();
    writeFileSync(executable, "\x7fELF the real thing");
    expect(await seed()).toEqual({ kind: "installed", path: executable });
    expect(readFileSync(executable, "utf8")).toBe("\x7fELF the real thing");
  });

  test("finds a headless shell before Chromium, and Chromium where no shell is accepted", async () => {
    for (const name of ["chromium", "chrome-headless-shell"]) {
      writeFileSync(join(home, name), "#!/bin/sh\necho Chromium 1.2.3\n", { mode: 0o755 });
    }
    const env = { PATH: home };
    expect(isHeadlessShell((await findInstalledBrowser(env)) ?? "")).toBe(true);
    expect(await findInstalledBrowser(env, (path) => !isHeadlessShell(path))).toBe(join(home, "chromium"));
    expect(await findInstalledBrowser({ ...env, CHROME_PATH: join(home, "chromium") })).toBe(join(home, "chromium"));
  });

  test("says at every start that a headless shell could not be shown to leave prefetches alone", async () => {
    const shell = join(home, "chrome-headless-shell");
    writeFileSync(shell, "#!/bin/sh\necho Chromium 1.2.3\n", { mode: 0o755 });
    vi.stubEnv("CHROME_PATH", shell);
    const lines: string[] = [];
    for (const starts of [1, 2]) {
      expect(await seedBrowser({ log: (line) => lines.push(line) })).toEqual({ kind: "installed", path: shell });
      expect(lines.filter((line) => line.includes("prefetch"))).toHaveLength(starts);
    }
  });

  test("says so when CHROME_PATH names something that is no browser", async () => {
    vi.stubEnv("CHROME_PATH", join(home, "missing"));
    await expect(seed()).rejects.toThrow(/CHROME_PATH is .*missing.*Correct it or unset it/);
  });
});
