// Plain JavaScript without dependencies, for the Node that the machine has (18 or later), since it runs before anything
// is installed: `node bootstrap.mjs` installs what the lock file names, if that is not there yet, and
// `node bootstrap.mjs <program.ts> [words…]` then runs the program on a Node that it can run on. With `--service` before
// the program, the dependencies of the service are enough; those for development are not installed.
import { spawn } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import module from "node:module";
import { createServer } from "node:net";
import { constants } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const MODULES = join(ROOT, "node_modules");
const OWN_NODE = join(MODULES, "node", "bin", process.platform === "win32" ? "node.exe" : "node");
const LOCK = join(ROOT, ".wrangler", "install.lock");
const LOCK_FILE = join(ROOT, "package-lock.json");
/** npm reads this file instead of the lock file. It exists while npm installs, see `installWithAddresses`. */
const LOCK_FILE_WITH_ADDRESSES = join(ROOT, "npm-shrinkwrap.json");
const COMPILED = join(ROOT, ".wrangler", "compiled");
/** The programs are written for this major version of Node (`await using`, TypeScript without a build). */
const PROGRAMS_NODE = 24;
/** Between two lines of progress. Tests have less time. */
const PROGRESS_INTERVAL_MS = Number(process.env.INSTALL_PROGRESS_MS) || 5_000;
/** Without new data for this long, the line of progress says so; npm gives up a request after 5 minutes. */
const QUIET_MS = 2 * PROGRESS_INTERVAL_MS;
const LOCK_POLL_MS = 500;
/** The port of `npm start` when none is chosen. */
const USUAL_PORT = 8787;

/** Remedies for a failed installation, by npm's message. The first match counts. */
const REMEDIES = [
  [/ENOSPC|no space left/i, "The disk is full: the dependencies take up to 800 MB. Make room and try again."],
  [
    /EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ERR_SOCKET_TIMEOUT|network/i,
    "The package registry was not reached. Check the network, and behind a proxy set HTTPS_PROXY; `npm ping` checks the connection.",
  ],
  [
    /CERT|self.signed|SSL/i,
    "The registry's certificate is not trusted. Behind a company proxy, set NODE_EXTRA_CA_CERTS.",
  ],
  [/EACCES|EPERM|EROFS/, `This user may not write to ${ROOT} or to npm's cache. Correct the owner of both.`],
  [/EUSAGE|in sync/, "package.json and package-lock.json disagree. Run `npm install`, and commit both files."],
  [/EINTEGRITY/, "A package did not arrive as it was published. Run `npm cache clean --force`, then try again."],
];

const major = Number(process.versions.node.split(".")[0]);
if (major < 18) fail(`Node ${process.versions.node} is too old. Install Node 20 or later from https://nodejs.org.`);
const [first, ...others] = process.argv.slice(2);
const isForServiceOnly = first === "--service";
const [program, ...words] = isForServiceOnly ? others : process.argv.slice(2);
if (!isInstalled()) {
  if (program?.endsWith("src/tools/start.ts")) await requirePort(words);
  await installOnce();
}
if (program !== undefined) await run(resolve(program), words);

/**
 * Compares npm's own record of what it installed with the lock file. Packages for other platforms are optional.
 * An installation that was killed may have left its file of addresses, which npm would go on to use.
 */
function isInstalled() {
  if (existsSync(LOCK_FILE_WITH_ADDRESSES)) return false;
  const present = readJson(join(MODULES, ".package-lock.json"))?.packages;
  if (present === undefined || !existsSync(OWN_NODE)) return false;
  return lockedPackages().every(
    ([path, { version, optional, devOptional }]) => optional || devOptional || present[path]?.version === version,
  );
}

/** The packages of this installation from the lock file: path and entry of each. */
function lockedPackages() {
  const packages = Object.entries(readJson(LOCK_FILE)?.packages ?? {});
  return packages.filter(([path, { dev }]) => path !== "" && !(isForServiceOnly && dev));
}

/**
 * Ends the program when the port of `npm start` is in use, before an installation that takes minutes. The program checks
 * its options and the port again (`setup/start-options.ts`, `process/free-port.ts`).
 */
async function requirePort(startWords) {
  const at = startWords.findIndex((word) => /^--port(?:=|$)/.test(word));
  const given = at < 0 ? process.env.PORT : (startWords[at].split("=")[1] ?? startWords[at + 1]);
  if (!given && startWords.includes("--once")) return;
  const port = Number(given || USUAL_PORT);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return;
  for (const host of ["127.0.0.1", "::1"]) {
    const isInUse = await new Promise((done) => {
      const server = createServer();
      server.once("error", ({ code }) => done(code === "EADDRINUSE"));
      server.listen({ port, host, exclusive: true }, () => server.close(() => done(false)));
    });
    if (!isInUse) continue;
    fail(`Port ${port} is in use by another program. Stop it, or choose another port: npm start -- --port ${port + 1}`);
  }
}

/** Two programs that start at once in one folder install once. */
async function installOnce() {
  mkdirSync(dirname(LOCK), { recursive: true });
  for (let isWaiting = false; !tryLock(); isWaiting = true) {
    if (!isWaiting) say(`Another program installs the dependencies; waiting for it (if none does, delete ${LOCK})`);
    await new Promise((done) => setTimeout(done, LOCK_POLL_MS));
  }
  const unlock = () => {
    rmSync(LOCK_FILE_WITH_ADDRESSES, { force: true });
    rmSync(LOCK, { recursive: true, force: true });
  };
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
      fail(
        `The dependencies are not installed, and cannot be: ${LOCK} cannot be made (${error.code}). ` +
          `Make ${ROOT} writable for the first start, or copy the project to a folder that is, and run npm start there.`,
      );
    }
  }
  const owner = readJson(join(LOCK, "pid"));
  if (typeof owner === "number" && !isAlive(owner)) rmSync(LOCK, { recursive: true, force: true });
  return false;
}

async function install() {
  const startedAt = Date.now();
  say("Installing the dependencies with npm ci; the first time this takes a minute or two");
  const progress = setInterval(showProgress(startedAt), PROGRESS_INTERVAL_MS);
  const kinds = isForServiceOnly ? "--omit=dev" : "--include=dev";
  const { code, output } = await installLocked(kinds).finally(() => clearInterval(progress));
  if (code !== 0) {
    const remedy = REMEDIES.find(([pattern]) => pattern.test(output))?.[1];
    fail(`${output.trim()}\n\nThe dependencies could not be installed. ${remedy ?? "npm says why above."}`);
  }
  if (!existsSync(OWN_NODE)) {
    fail("npm did not run the install scripts. Allow them with `npm config set ignore-scripts false`, then try again.");
  }
  say(`Dependencies installed in ${secondsSince(startedAt)} s`);
}

/**
 * Descriptions of packages in npm's cache are used as they are. One that is older than a locked version does not name it.
 */
async function installLocked(kinds) {
  const words = ["ci", kinds, "--loglevel=error"];
  const first = await installWithAddresses([...words, "--prefer-offline"]);
  return /\b(?:ETARGET|ENOTCACHED|E40\d)\b/.test(first.output) ? runNpm(words) : first;
}

/**
 * The lock file names no addresses, since each user may have another registry. Without them npm first reads the
 * description of each package with all its versions, which takes four fifths of an installation. All registries that
 * follow npm's own have a package at the same path; for others, `installLocked` lets npm look for it.
 */
async function installWithAddresses(words) {
  const lock = readJson(LOCK_FILE);
  const registry = /^https?:\S+$/m.exec((await runNpm(["config", "get", "registry"])).output)?.[0];
  if (registry === undefined || lock?.packages === undefined) return runNpm(words);
  for (const [path, entry] of Object.entries(lock.packages)) {
    const name = entry.name ?? path.split("node_modules/").at(-1);
    if (path === "" || entry.resolved !== undefined || entry.link || entry.inBundle) continue;
    entry.resolved = `${registry.replace(/\/$/, "")}/${name}/-/${name.split("/").at(-1)}-${entry.version}.tgz`;
  }
  writeFileSync(LOCK_FILE_WITH_ADDRESSES, JSON.stringify(lock));
  try {
    return await runNpm(words);
  } finally {
    rmSync(LOCK_FILE_WITH_ADDRESSES, { force: true });
  }
}

/** npm prints nothing while it works. Growing counts of unpacked packages show that a slow installation has not hung. */
function showProgress(startedAt) {
  const total = lockedPackages().filter(([, entry]) => isForThisPlatform(entry)).length;
  let last = { packages: 0, bytes: 0 };
  let grewAt = startedAt;
  return () => {
    const now = measureFolder(MODULES);
    if (now.bytes !== last.bytes) grewAt = Date.now();
    last = now;
    const sizes = `${Math.min(now.packages, total)} of ${total} packages, ${Math.round(now.bytes / 1e6)} MB`;
    const isQuiet = Date.now() - grewAt >= QUIET_MS;
    const state = isQuiet ? `; nothing arrived for ${secondsSince(grewAt)} s (Ctrl-C ends the installation)` : "";
    say(`Installing: ${sizes} after ${secondsSince(startedAt)} s${state}`);
  };
}

/** Bytes below a folder, and how many packages have their description already. */
function measureFolder(path) {
  const sum = { packages: 0, bytes: 0 };
  for (const entry of listFolder(path)) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) {
      const { packages, bytes } = measureFolder(inner);
      sum.packages += packages;
      sum.bytes += bytes;
      if (isPackageFolder(inner) && existsSync(join(inner, "package.json"))) sum.packages += 1;
    } else {
      sum.bytes += lstatSync(inner, { throwIfNoEntry: false })?.size ?? 0;
    }
  }
  return sum;
}

/** `node_modules/name` or `node_modules/@scope/name`. */
function isPackageFolder(path) {
  const [grandparent, parent, name] = path.split(/[\\/]/).slice(-3);
  return (parent === "node_modules" && !name.startsWith(".")) || (grandparent === "node_modules" && parent[0] === "@");
}

function isForThisPlatform({ os, cpu, libc }) {
  const has = (list, value) => list === undefined || list.includes(value);
  return has(os, process.platform) && has(cpu, process.arch) && has(libc, "glibc");
}

function listFolder(path) {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}

function secondsSince(time) {
  return Math.round((Date.now() - time) / 1000);
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
  }).finally(() => {
    // Output of a stopped npm is no result, and the next command would have to be stopped again.
    const signal = release();
    if (signal !== undefined) process.exit(128 + constants.signals[signal]);
  });
}

async function run(path, words) {
  if (major >= PROGRAMS_NODE) {
    process.argv = [process.execPath, path, ...words];
    // From the second start on, Node need not load its reader of TypeScript, which takes 20 MB.
    module.enableCompileCache?.(COMPILED);
    await import(pathToFileURL(path).href);
    return;
  }
  const service = isForServiceOnly ? ["--service"] : [];
  const child = spawn(OWN_NODE, [fileURLToPath(import.meta.url), ...service, path, ...words], { stdio: "inherit" });
  const release = passSignals(child);
  child.once("error", (error) => fail(`${OWN_NODE} does not start (${error.message}). Run \`npm ci\` and try again.`));
  child.once("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    release();
    process.kill(process.pid, signal);
  });
}

/**
 * Signals are the child's to answer; this process goes on when the child has ended.
 * @returns ends the passing on, and returns the last signal, if one came.
 */
function passSignals(child) {
  let last;
  const pass = (signal) => {
    last = signal;
    child.kill(signal);
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, pass);
  return () => {
    for (const signal of signals) process.removeListener(signal, pass);
    return last;
  };
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
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
