import { execFile } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join, relative } from "node:path";
import { promisify } from "node:util";
import { PROJECT_ROOT } from "../../../src/tools/service/wrangler.ts";

const run = promisify(execFile);
const INSTALL_MS = 300_000;
/** Where Linux distributions have the certificates that they trust. */
const SYSTEM_CERTIFICATES = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"];

/** A copy of the project's files as a fresh clone has them, with those that are not committed yet, and a home beside it. */
export interface FreshClone {
  folder: string;
  home: string;
  remove(): void;
}

export async function makeFreshClone(): Promise<FreshClone> {
  const place = mkdtempSync(join(tmpdir(), "newcomer-"));
  // Another user reads it in the test of a read-only folder.
  chmodSync(place, 0o755);
  const [folder, home] = [join(place, "orbweaver"), join(place, "home")];
  mkdirSync(home);
  const { stdout } = await run("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: PROJECT_ROOT,
    maxBuffer: 2 ** 24,
  });
  for (const path of stdout.split("\0").filter((name) => name !== "" && !name.startsWith("test/"))) {
    if (existsSync(join(PROJECT_ROOT, path))) cpSync(join(PROJECT_ROOT, path), join(folder, path));
  }
  return { folder, home, remove: () => rmSync(place, { recursive: true, force: true, maxRetries: 3 }) };
}

/** Parts of `dist` that the service does not need, or makes as it runs. */
const NOT_BUILT = ["nodes", "check"];

/**
 * Copies what an installation and a build would make from this project's own: the packages of the service, without those
 * for development, and the folder `dist`.
 */
export function bringBuild({ folder }: FreshClone): void {
  const lock = JSON.parse(readFileSync(join(PROJECT_ROOT, "package-lock.json"), "utf8")) as {
    packages: Record<string, { dev?: boolean }>;
  };
  const isForDevelopment = (path: string): boolean => lock.packages[path]?.dev === true;
  const filter = (source: string): boolean => !isForDevelopment(relative(PROJECT_ROOT, source));
  const options = { recursive: true, verbatimSymlinks: true, filter };
  cpSync(join(PROJECT_ROOT, "node_modules"), join(folder, "node_modules"), options);
  for (const name of readdirSync(join(PROJECT_ROOT, "dist")).filter((entry) => !NOT_BUILT.includes(entry)))
    cpSync(join(PROJECT_ROOT, "dist", name), join(folder, "dist", name), { recursive: true });
}

const programs = new Map<number, Promise<string>>();

/**
 * A folder with the programs `node`, of a major version, and `npm`. Other versions than the project's own are installed
 * once, into `dist`.
 */
export function programsWithNode(major: number): Promise<string> {
  const known = programs.get(major) ?? installPrograms(major);
  programs.set(major, known);
  // A test that is tried again installs again.
  known.catch(() => programs.delete(major));
  return known;
}

async function installPrograms(major: number): Promise<string> {
  const folder = join(PROJECT_ROOT, "dist", "nodes", String(major));
  const bin = join(folder, "path");
  const name = `${process.platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node"}-${process.platform}-${process.arch}`;
  const isOwn = process.versions.node.startsWith(`${major}.`);
  const node = isOwn ? process.execPath : join(folder, "node_modules", name, "bin", "node");
  if (!existsSync(node)) {
    mkdirSync(folder, { recursive: true });
    const words = ["install", "--prefix", folder, "--no-save", "--no-package-lock", "--ignore-scripts"];
    const env = { ...trustedCertificates(), ...process.env };
    await run("npm", [...words, `${name}@${major}`], { timeout: INSTALL_MS, env });
  }
  mkdirSync(bin, { recursive: true });
  for (const [program, path] of [
    ["node", node],
    ["npm", npmProgram()],
  ] as const) {
    rmSync(join(bin, program), { force: true });
    symlinkSync(path, join(bin, program));
  }
  return bin;
}

function npmProgram(): string {
  const found = (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "npm"))
    .find((path) => existsSync(path) && !path.startsWith(join(PROJECT_ROOT, "node_modules")));
  if (found === undefined) throw new Error("There is no npm on the path");
  return realpathSync(found);
}

/**
 * Node's own builds know the certificates of browsers only. Where a registry is reached with one that the system alone
 * trusts, npm would try each request four times, for 70 s in all, before it used its cache.
 */
function trustedCertificates(): Record<string, string> {
  const bundle = SYSTEM_CERTIFICATES.find((path) => existsSync(path));
  return bundle === undefined ? {} : { NODE_EXTRA_CA_CERTS: bundle };
}

/** What is left of the environment: where programs are, a home, and how this machine reaches the package registry. */
export function emptyEnvironment(bin: string, { home }: Pick<FreshClone, "home">): Record<string, string> {
  const reach = ["NODE_EXTRA_CA_CERTS", "HTTPS_PROXY", "https_proxy", "npm_config_registry"];
  const kept = reach.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])) as [string, string][];
  const userConfig = join(homedir(), ".npmrc");
  return {
    ...trustedCertificates(),
    ...Object.fromEntries(kept),
    PATH: [bin, "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter),
    HOME: home,
    // What was downloaded before is not downloaded again; everything is unpacked anew.
    npm_config_cache: process.env["npm_config_cache"] ?? join(homedir(), ".npm"),
    // npm waits five minutes for a connection that has gone silent before it opens another.
    npm_config_fetch_timeout: "20000",
    ...(existsSync(userConfig) ? { npm_config_userconfig: userConfig } : {}),
  };
}
