import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { table } from "../load/table.ts";
import { openReaders } from "./measured-readers.ts";

const HEAD = ["file", "bytes", "pages", "steps", "CPU ms", "ns a step", "MB", "end"];
/** Processor time is measured, so a machine with other work may take its time. */
const TIMEOUT_MS = 600_000;

/**
 * Reads each file below a folder in a workerd of its own, since one that has grown for a file does not grow again for the next,
 * and prints what it takes, the slowest first, and whether the reading is whole.
 */
export async function measureFiles(folder: string): Promise<void> {
  const rows: (string | number)[][] = [];
  for (const path of filesBelow(folder)) rows.push(await measureFile(path));
  rows.sort((a, b) => Number(b[4]) - Number(a[4]));
  console.log(table(HEAD, rows));
}

async function measureFile(path: string): Promise<(string | number)[]> {
  const readers = await openReaders({ timeoutMs: TIMEOUT_MS, rounds: 1 });
  try {
    const bytes = readFileSync(path);
    const { pages, steps, cpuMs, megabytes, warning, error } = await readers.read("orbweaver", basename(path), bytes);
    const end = error !== "" ? error : /^Reading this|pages were read/.test(warning) ? "cut" : "whole";
    return [basename(path), bytes.byteLength, pages, steps, cpuMs, (cpuMs * 1e6) / steps, megabytes, end];
  } finally {
    await readers.close();
  }
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}
