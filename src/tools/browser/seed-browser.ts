import { randomUUID } from "node:crypto";
import { chmod, mkdir, mkdtemp, open, rename, rm, writeFile } from "node:fs/promises";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { browserLauncher, LAUNCHER_MARK } from "./browser-launcher.ts";
import { prefetchesPages } from "./check-prefetch.ts";
import {
  browserVersion,
  canInstallWithApt,
  findInstalledBrowser,
  installWithApt,
  isHeadlessShell,
  startsWithSandbox,
} from "./installed-browser.ts";

/** `download` leaves it to the local browser binding, which fetches its own Chrome at the first launch. */
export type SeededBrowser = { kind: "installed"; path: string } | { kind: "download" };

interface SeedOptions {
  log: (line: string) => void;
  /** True to install a headless shell beside another browser, where that is possible. `CHROME_PATH` goes before it. */
  addsShell?: boolean;
}

/** Without this file the binding deletes the whole folder when its first launch from it fails. */
const INSTALL_COMPLETE_MARKER = ".miniflare-install-complete";

/**
 * Lets the local browser binding use the Chrome or Chromium of this machine: the binding only ever starts the one
 * executable that it would download, so a small script is put in that place.
 * May run any number of times, also at once. A Chrome that the binding downloaded stays as it is.
 * @throws Error that says what to do, when no browser can be had.
 */
export async function seedBrowser(options: SeedOptions): Promise<SeededBrowser> {
  const { log, addsShell = false } = options;
  const place = browserPlace();
  if (place === undefined) return { kind: "download" };
  const present = await readExecutable(place.executable);
  if (present === "foreign") return { kind: "installed", path: place.executable };
  const found = await findInstalledBrowser();
  const isEnough = found !== undefined && (!addsShell || isHeadlessShell(found) || process.env["CHROME_PATH"]);
  const path = isEnough ? found : ((await installBrowser(log)) ?? found);
  if (path === undefined) {
    if (present !== undefined) await rm(place.folder, { recursive: true, force: true });
    return leaveToDownload(log);
  }
  const shim = await makeShim(path);
  if (present === shim) return { kind: "installed", path };
  if (!isHeadlessShell(path) || !(await loadsPrefetches(shim))) {
    await placeShim(place, shim);
    return { kind: "installed", path };
  }
  const isWanted = Boolean(process.env["CHROME_PATH"]);
  const other = isWanted ? undefined : await findInstalledBrowser(process.env, (found) => !isHeadlessShell(found));
  if (other !== undefined) {
    await placeShim(place, await makeShim(other));
    return { kind: "installed", path: other };
  }
  log(`${path} loads what pages let it prefetch, past the policy of pages. Private hosts stay closed to it.`);
  log("To close this as well, install Chromium or Chrome, or set CHROME_PATH to its executable.");
  // Without its version, so that the next start looks at it again.
  await placeShim(place, browserLauncher(path, await startsWithSandbox(path)));
  return { kind: "installed", path };
}

const makeShim = async (path: string): Promise<string> =>
  browserLauncher(path, await startsWithSandbox(path), await browserVersion(path));

/** Reports whether the browser that a shim starts loads what pages let it prefetch, in spite of the shim's flags. */
async function loadsPrefetches(shim: string): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "check-launcher-"));
  try {
    const file = join(folder, "launcher");
    await writeFile(file, shim, { mode: 0o755 });
    return await prefetchesPages(file);
  } catch {
    // It does not load a page in this way; whether it prefetches is not known.
    return true;
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

async function installBrowser(log: (line: string) => void): Promise<string | undefined> {
  if (!canInstallWithApt()) return undefined;
  log("Installing Chromium with apt-get");
  try {
    await installWithApt(log);
  } catch (error) {
    log(`Chromium could not be installed: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
  return findInstalledBrowser();
}

function leaveToDownload(log: (line: string) => void): SeededBrowser {
  if (process.platform === "linux" && process.arch === "arm64") {
    throw new Error(
      "No Chrome or Chromium found, and none can be downloaded for Linux on ARM. " +
        "Install Chromium (Debian: apt-get install chromium-headless-shell) or set CHROME_PATH to its executable.",
    );
  }
  log("No Chrome or Chromium found; one is downloaded at the first page that needs a browser.");
  log("To avoid the download, install Chromium or set CHROME_PATH to an executable.");
  return { kind: "download" };
}

interface BrowserPlace {
  folder: string;
  executable: string;
}

/** Where the local browser binding looks for its executable; undefined where that is no place for a shell script. */
function browserPlace(): BrowserPlace | undefined {
  const layout = LAYOUTS[`${process.platform}-${process.arch}`];
  if (layout === undefined) return undefined;
  const cache = process.env["XDG_CACHE_HOME"] || defaultCacheFolder();
  const folder = join(cache, ".wrangler", "chrome", `${layout.platform}-${pinnedVersion()}`);
  return { folder, executable: join(folder, layout.executable) };
}

const macExecutable = (folder: string): string =>
  join(folder, "Google Chrome for Testing.app", "Contents", "MacOS", "Google Chrome for Testing");

/** Folder names of `@puppeteer/browsers`, which the binding installs with. */
const LAYOUTS: Record<string, { platform: string; executable: string } | undefined> = {
  "linux-x64": { platform: "linux", executable: join("chrome-linux64", "chrome") },
  "linux-arm64": { platform: "linux_arm", executable: join("chrome-linux64", "chrome") },
  "darwin-x64": { platform: "mac", executable: macExecutable("chrome-mac-x64") },
  "darwin-arm64": { platform: "mac_arm", executable: macExecutable("chrome-mac-arm64") },
};

function defaultCacheFolder(): string {
  return process.platform === "darwin" ? join(homedir(), "Library", "Caches") : join(homedir(), ".cache");
}

/** The version that the installed miniflare asks for: part of the folder's name, and only readable in its bundle. */
function pinnedVersion(): string {
  const require = createRequire(createRequire(import.meta.url).resolve("wrangler"));
  const bundle = readFileSync(require.resolve("miniflare"), "utf8");
  const version = /BROWSER_VERSION = "([\d.]+)"/.exec(bundle)?.[1];
  if (version === undefined)
    throw new Error("The installed miniflare names no browser version; use the pinned wrangler.");
  return version;
}

/** The text of an earlier shim, `foreign` for a real browser, undefined for nothing. */
async function readExecutable(path: string): Promise<string | undefined> {
  if (!existsSync(path)) return undefined;
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, 0);
  const text = buffer.toString("utf8", 0, bytesRead);
  return text.includes(LAUNCHER_MARK) ? text : "foreign";
}

/** A rename is atomic: a concurrent program sees either the old file or the new one. */
async function placeShim(place: BrowserPlace, shim: string): Promise<void> {
  await mkdir(dirname(place.executable), { recursive: true });
  await writeFile(join(place.folder, INSTALL_COMPLETE_MARKER), "");
  const draft = `${place.executable}.${randomUUID()}`;
  try {
    await writeFile(draft, shim);
    await chmod(draft, 0o755);
    await rename(draft, place.executable);
  } finally {
    await rm(draft, { force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const seeded = await seedBrowser({ log: console.log });
  console.log(seeded.kind === "installed" ? `Browser: ${seeded.path}` : "Browser: downloaded when first needed");
}
