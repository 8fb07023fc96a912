import { zipSync } from "fflate";
import { expect, test } from "vitest";
import { loadAsync } from "../../../../src/platform/bundle/zip-archive.ts";

test("files of a stored archive are read, and a missing one is null", async () => {
  const content = new TextEncoder().encode("<w:document/>");
  const archive = await loadAsync(new Uint8Array(zipSync({ "word/document.xml": content }, { level: 0 })).buffer);
  expect(await archive.file("word/document.xml")?.async("uint8array")).toEqual(content);
  expect(archive.file("word/styles.xml")).toBeNull();
});
