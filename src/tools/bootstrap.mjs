// Plain JavaScript without dependencies, for the Node that the machine has (18 or later), since it runs before anything
// is installed: `node bootstrap.mjs` installs what the lock file names, if that is not there yet, and
// `node bootstrap.mjs <program.ts> [words…]` then runs the program on a Node that it can run on.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import module from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const OWN_NODE = join(ROOT, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node");
const LOCK = join(ROOT, ".wrangler", "install.lock");
const COMPILED = join(ROOT, ".wrangler", "compiled");
/** From here on Node runs TypeScript as it stands; wrangler asks for 22.12. */
const LEAST_NODE = [22, 18];
const PROGRESS_INTERVAL_MS = 10_000;
const LOCK_POLL_MS = 500;

/** What to do about a failed installation, by what npm says. The first match counts. */
const REMEDIES = [
  [/ENOSPC|no space left/i, "The disk is full: the dependencies take about 600 MB. Make room and try again."],
  [
    /EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ERR_SOCKET_TIMEOUT|network/i,
    "The package registry was not reached. Check the network, and behind a proxy set HTTPS_PROXY; `npm ping` tells when it works.",
  ],
  [
    /CERT|self.signed|SSL/i,
    "The registry's certificate is not trusted. Behind a company proxy, set NODE_EXTRA_CA_CERTS.",
  ],
  [/EACCES|EPERM|EROFS/, `This user may not write to ${ROOT} or to npm's cache. Correct the owner of both.`],
  [/EUSAGE|in sync/, "package.json and package-lock.json disagree. Run `npm install`, and commit both files."],
  [/EINTEGRITY/, "A package did not arrive as it was published. Run `npm cache clean --force`, then try again."],
];

const [major = 0] = versionOf(process.versions.node);
if (major < 18) fail(`Node ${process.versions.node} is too old. Install Node 20 or later from https://nodejs.org.`);
if (!isInstalled()) await installOnce();
const [program, ...words] = process.argv.slice(2);
if (program !== undefined) await run(resolve(program), words);

/** Compares npm's own record of what it installed with the lock file. Packages for other platforms are optional. */
function isInstalled() {
  const wanted = readJson(join(ROOT, "package-lock.json"))?.packages ?? {};
  const present = readJson(join(ROOT, "node_modules", ".package-lock.json"))?.packages;
  if (present === undefined || !existsSync(OWN_NODE)) return false;
  return Object.entries(wanted).every(
    ([path, { version, optional }]) => path === "" || optional || present[path]?.version === version,
  );
}

/** Two programs that start at once in one folder install once. */
async function installOnce() {
  mkdirSync(dirname(LOCK), { recursive: true });
  for (let isWaiting = false; !tryLock(); isWaiting = true) {
    if (!isWaiting) say(`Another program installs the dependencies; waiting for it (if none does, delete ${LOCK})`);
    await new Promise((done) => setTimeout(done, LOCK_POLL_MS));
  }
  const unlock = () => rmSync(LOCK, { recursive: true, force: true });
  process.once("exit", unlock);
  try {
    if (!isInstalled()) await install();
  } finally {
    unlock();
    process.removeListener("exit", unlock);
  }
}

function tryLock() {
  try {
    mkdirSync(LOCK);
    writeFileSync(join(LOCK, "pid"), String(process.pid));
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") {
      fail(`${LOCK} cannot be made (${error.code}). This user needs to write to ${ROOT}, and the disk needs room.`);
    }
  }
  const owner = readJson(join(LOCK, "pid"));
  if (typeof owner === "number" && !isAlive(owner)) rmSync(LOCK, { recursive: true, force: true });
  return false;
}

async function install() {
  const startedAt = Date.now();
  const seconds = () => Math.round((Date.now() - startedAt) / 1000);
  say("Installing the dependencies with npm ci; the first time this takes a minute or two");
  const progress = setInterval(() => say(`Still installing (${seconds()} s)`), PROGRESS_INTERVAL_MS);
  const { code, output } = await runNpm(["ci", "--include=dev", "--loglevel=error"]);
  clearInterval(progress);
  if (code !== 0) {
    const remedy = REMEDIES.find(([pattern]) => pattern.test(output))?.[1];
    fail(`${output.trim()}\n\nThe dependencies could not be installed. ${remedy ?? "npm says why above."}`);
  }
  if (!existsSync(OWN_NODE)) {
    fail("npm did not run the install scripts. Allow them with `npm config set ignore-scripts false`, then try again.");
  }
  say(`Dependencies installed in ${seconds()} s`);
}

/** npm as it was started with, or else the one on the path. Its output is shown as it comes and kept. */
function runNpm(npmWords) {
  const started = process.env.npm_execpath ?? "";
  const [command, before] = started.endsWith("npm-cli.js") ? [process.execPath, [started]] : ["npm", []];
  const npm = spawn(command, [...before, ...npmWords], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    shell: command === "npm" && process.platform === "win32",
  });
  const release = passSignals(npm);
  let output = "";
  for (const stream of [npm.stdout, npm.stderr]) stream.on("data", (chunk) => (output += chunk));
  return new Promise((done) => {
    npm.once("error", (error) => done({ code: 1, output: `npm does not start: ${error.message}` }));
    npm.once("close", (code) => done({ code, output }));
  }).finally(release);
}

async function run(path, words) {
  const [, minor = 0] = versionOf(process.versions.node);
  if (major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1])) {
    process.argv = [process.execPath, path, ...words];
    // From the second start on, Node need not load its reader of TypeScript, which takes 20 MB.
    module.enableCompileCache?.(COMPILED);
    await import(pathToFileURL(path).href);
    return;
  }
  const child = spawn(OWN_NODE, [fileURLToPath(import.meta.url), path, ...words], { stdio: "inherit" });
  const release = passSignals(child);
  child.once("error", (error) => fail(`${OWN_NODE} does not start (${error.message}). Run \`npm ci\` and try again.`));
  child.once("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    release();
    process.kill(process.pid, signal);
  });
}

/** Signals are the child's to answer; this process goes on when the child has ended. */
function passSignals(child) {
  const listeners = ["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => [signal, () => child.kill(signal)]);
  for (const [signal, pass] of listeners) process.on(signal, pass);
  return () => listeners.forEach(([signal, pass]) => process.removeListener(signal, pass));
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function versionOf(text) {
  return text.split(".").map(Number);
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

function say(line) {
  console.error(line);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
