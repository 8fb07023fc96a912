import { readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "../../../fixtures/documents");

/** Bytes of a file in `test/fixtures/documents`, all of which `make-fixtures.mjs` there writes. */
export function fixture(name: string): Uint8Array {
  return new Uint8Array(readFileSync(join(FOLDER, name)));
}
