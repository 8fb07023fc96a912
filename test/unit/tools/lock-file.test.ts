import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PROJECT_ROOT } from "../../../src/tools/service/wrangler.ts";

interface LockedPackage {
  version?: string;
  resolved?: string;
  integrity?: string;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

const lock = JSON.parse(readFileSync(join(PROJECT_ROOT, "package-lock.json"), "utf8")) as {
  packages: Record<string, LockedPackage>;
};

// A registry that holds packages for some platforms only makes `npm install` drop the others from the lock file, and
// `npm ci` then refuses it everywhere.
test("the lock file names the packages of every platform", () => {
  const locked = new Set(Object.keys(lock.packages).map((path) => path.slice(path.lastIndexOf("node_modules/") + 13)));
  const wanted = Object.values(lock.packages).flatMap(({ optionalDependencies }) =>
    Object.keys(optionalDependencies ?? {}),
  );
  expect(wanted.length).toBeGreaterThan(50);
  expect(wanted.filter((name) => !locked.has(name))).toEqual([]);
});

test("the lock file names no place where packages came from", () => {
  expect(Object.values(lock.packages).filter(({ resolved }) => resolved?.startsWith("http"))).toEqual([]);
});

/** Where the service is started and tested: Linux with glibc. */
const isForLinux = ({ os = ["linux"], cpu = ["x64"], libc = ["glibc"] }: LockedPackage): boolean =>
  os.includes("linux") && (cpu.includes("x64") || cpu.includes("arm64")) && libc.includes("glibc");

test("the lock file names a SHA-512 of every package that Linux installs", () => {
  const installed = Object.entries(lock.packages).filter(([path, entry]) => path !== "" && isForLinux(entry));
  expect(installed.length).toBeGreaterThan(400);
  const without = installed.filter(([, { integrity = "" }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity));
  expect(without.map(([path]) => path)).toEqual([]);
});
