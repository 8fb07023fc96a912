import { dataFolder } from "../../../data-folder.ts";

const FOLDER = dataFolder("test/fixtures/documents");

/** Bytes of a file in `test/fixtures/documents`, all of which `make-fixtures.mjs` there writes. */
export function fixture(name: string): Uint8Array {
  return new Uint8Array(FOLDER.bytes(name));
}
