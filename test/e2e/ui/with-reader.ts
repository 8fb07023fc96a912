import type { BrowserContext } from "playwright-core";
import { afterAll, afterEach, beforeEach, expect } from "vitest";
import { closeContexts } from "../local-browser.ts";
import { newContext, openTab, type Reader } from "./browser.ts";

/**
 * Opens a new tab for each test of a file. A test fails on errors of the page and on requests to other origins.
 * @param expected Complaints to ignore.
 */
export function withReader({ expected }: { expected?: RegExp } = {}): () => Reader["page"] {
  let context: BrowserContext | undefined;
  let reader: Omit<Reader, "close"> | undefined;
  beforeEach(async () => {
    context ??= await newContext();
    reader = await openTab(context);
  });
  afterEach(async () => {
    const { complaints = [] } = reader ?? {};
    reader = undefined;
    await context?.setOffline(false);
    await Promise.all((context?.pages() ?? []).map((page) => page.close()));
    expect(complaints.filter((complaint) => expected?.test(complaint) !== true)).toEqual([]);
  });
  afterAll(closeContexts);
  return () => {
    if (reader === undefined) throw new Error("The reader is available inside tests only");
    return reader.page;
  };
}
