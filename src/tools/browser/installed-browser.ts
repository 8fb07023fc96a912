import { execFile, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * A Chromium without the parts that draw windows: a page takes less of the processor, and the browser less memory (figures in
 * `docs/operation/operation.md`). Debian's command of this name is a script that does not pass signals on, so the program
 * itself is named.
 */
const SHELL = "/usr/lib/chromium/chromium-headless-shell";

const COMMANDS = [
  "chrome-headless-shell",
  "chromium",
  "google-chrome-stable",
  "google-chrome",
  "chromium-browser",
  "chrome",
  "microsoft-edge",
];

const LINUX_PLACES = ["/usr/lib/chromium/chromium", "/opt/google/chrome/chrome", "/snap/bin/chromium"];

const MAC_PLACES = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome Canary.app/Contents/MacOS/Google Chrome Canary",
  "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
];

const VERSION_TIMEOUT_MS = 15_000;
const START_TIMEOUT_MS = 30_000;

/**
 * Path of a Chrome or Chromium that starts, or undefined when this machine has none.
 * `CHROME_PATH` goes first and must work when it is set; of the others, the first that is accepted. A candidate is asked for its
 * version, since Ubuntu's `chromium-browser` may be a stub that only advertises a snap.
 * @throws Error when `CHROME_PATH` names something that is no browser.
 */
export async function findInstalledBrowser(
  env: NodeJS.ProcessEnv = process.env,
  isAccepted: (path: string) => boolean = () => true,
): Promise<string | undefined> {
  const wanted = env["CHROME_PATH"];
  if (wanted !== undefined && wanted !== "") {
    if (await answersVersion(wanted)) return wanted;
    throw new Error(`CHROME_PATH is ${wanted}, which does not start as a browser. Correct it or unset it.`);
  }
  for (const path of candidates(env)) {
    if (isAccepted(path) && (await answersVersion(path))) return path;
  }
  return undefined;
}

function candidates(env: NodeJS.ProcessEnv): string[] {
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const onPath = COMMANDS.flatMap((command) => folders.map((folder) => join(folder, command)));
  const usual = process.platform === "darwin" ? MAC_PLACES : LINUX_PLACES;
  return [...new Set([SHELL, ...onPath, ...usual])].filter((path) => existsSync(path));
}

/** True for a headless shell, such as Chrome for Testing and Debian have: it has no windows, policies or PDF viewer. */
export const isHeadlessShell = (path: string): boolean => /headless[-_]shell(?:\.exe)?$/.test(path);

const answersVersion = async (path: string): Promise<boolean> => (await browserVersion(path)) !== undefined;

/** Returns the version that a program names, such as `156.0.8078.108`; undefined when it names none. */
export async function browserVersion(path: string): Promise<string | undefined> {
  try {
    const { stdout } = await run(path, ["--version"], { timeout: VERSION_TIMEOUT_MS });
    return /\d+\.\d+\.\d+[.\d]*/.exec(stdout)?.[0];
  } catch {
    return undefined;
  }
}

/** True when the browser loads a page inside its own sandbox, which root and many containers cannot offer. */
export async function startsWithSandbox(path: string): Promise<boolean> {
  if (process.platform === "darwin") return true;
  if (process.getuid?.() === 0) return false;
  try {
    const flags = ["--headless=new", "--disable-gpu", "--dump-dom", "data:text/html,<title>ready</title>"];
    const { stdout } = await run(path, flags, { timeout: START_TIMEOUT_MS });
    return stdout.includes("ready");
  } catch {
    return false;
  }
}

/** True on Debian as root, where `apt-get` installs a Chromium that runs (Ubuntu's package only points to a snap). */
export function canInstallWithApt(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return false;
  const release = existsSync("/etc/os-release") ? readFileSync("/etc/os-release", "utf8") : "";
  return /^ID(_LIKE)?=.*\bdebian\b/m.test(release) && !/\bubuntu\b/.test(release);
}

/**
 * Installs Debian's headless shell, or its Chromium where there is no such package, handing each line of progress to `log`.
 * @throws Error with the last lines of the failed command.
 */
export async function installWithApt(log: (line: string) => void): Promise<void> {
  const lock = ["-o", "DPkg::Lock::Timeout=300"];
  await runLogged("apt-get", [...lock, "update"], log);
  try {
    await runLogged("apt-get", [...lock, "install", "-y", "chromium-headless-shell"], log);
  } catch {
    await runLogged("apt-get", [...lock, "install", "-y", "chromium"], log);
  }
}

async function runLogged(command: string, words: string[], log: (line: string) => void): Promise<void> {
  const child = spawn(command, words, {
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const tail: string[] = [];
  const read = (chunk: Buffer): void => {
    for (const line of chunk.toString("utf8").split(/\r?\n/)) {
      if (line.trim() === "") continue;
      log(line);
      tail.push(line);
      if (tail.length > 5) tail.shift();
    }
  };
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`${command} ${words.join(" ")} ended with ${code}:\n${tail.join("\n")}`);
}
