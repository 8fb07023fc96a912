import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Assertion } from "./check-assertion.ts";

/** A file of the suites with what its reading must hold. */
export interface DocumentCase {
  id: string;
  suite: string;
  name: string;
  path: string;
  asserts: Assertion[];
  /** Set for every third case, by the hash of its name: only totals of these are shown, never a failure. */
  isKeptAside: boolean;
}

interface ManifestEntry {
  id: string;
  suite: string;
  file: string;
  asserts: Assertion[];
}

/** Reads the cases of `manifest.json` in a folder, of the suites whose names begin with a prefix. */
export function readCases(directory: string, suitePrefix: string): DocumentCase[] {
  const entries = JSON.parse(readFileSync(join(directory, "manifest.json"), "utf8")) as ManifestEntry[];
  return entries
    .filter(({ suite }) => suite.startsWith(suitePrefix))
    .map(({ id, suite, file, asserts }) => ({
      id,
      suite,
      name: basename(file),
      path: join(directory, file),
      asserts,
      isKeptAside: isKeptAside(id),
    }));
}

function isKeptAside(id: string): boolean {
  return createHash("sha256").update(id).digest().readUInt32BE(0) % 3 === 0;
}
