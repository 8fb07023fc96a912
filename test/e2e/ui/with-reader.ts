import { afterAll, afterEach, beforeEach, expect } from "vitest";
import { closeBrowser, newReader } from "./browser.ts";
import type { Reader } from "./browser.ts";

/**
 * A fresh tab for each test of a file; a test fails when the page complained or asked anything of a third party.
 * @param expected complaints that are no fault.
 */
export function withReader({ expected }: { expected?: RegExp } = {}): () => Reader["page"] {
  let reader: Reader | undefined;
  beforeEach(async () => {
    reader = await newReader();
  });
  afterEach(async () => {
    const { complaints = [] } = reader ?? {};
    await reader?.close();
    expect(complaints.filter((complaint) => expected?.test(complaint) !== true)).toEqual([]);
  });
  afterAll(closeBrowser);
  return () => {
    if (reader === undefined) throw new Error("There is a reader inside of tests only");
    return reader.page;
  };
}
