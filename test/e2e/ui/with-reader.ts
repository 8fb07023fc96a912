import { afterAll, afterEach, beforeEach, expect } from "vitest";
import { closeContexts } from "../local-browser.ts";
import { newReader } from "./browser.ts";
import type { Reader } from "./browser.ts";

/**
 * Opens a new tab for each test of a file. A test fails on errors of the page and on requests to other origins.
 * @param expected Complaints to ignore.
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
  afterAll(closeContexts);
  return () => {
    if (reader === undefined) throw new Error("The reader is available inside tests only");
    return reader.page;
  };
}
