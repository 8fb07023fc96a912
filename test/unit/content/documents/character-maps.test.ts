import { expect, test } from "vitest";
import { CharacterMaps } from "../../../../src/content/documents/pdf/character-maps.ts";

const read = async (name: string): Promise<string> => new TextDecoder().decode(await new CharacterMaps().read(name));

test.each([
  { name: "90ms-RKSJ-H", line: "<93fa> <93fa> 26085", means: "日" },
  { name: "RKSJ-V", line: "/WMode 1 def", means: "vertical writing" },
  { name: "H", line: "<467c> <467c> 26085", means: "日" },
  { name: "EUC-H", line: "<c6fc> <c6fc> 26085", means: "日" },
  { name: "GBK-EUC-H", line: "<d6d0> <d6d0> 20013", means: "中" },
  { name: "ETen-B5-H", line: "<a4a4> <a4a4> 20013", means: "中" },
  { name: "KSCms-UHC-H", line: "54620", means: "한" },
  { name: "UniJIS-UTF16-H", line: "<0000> <ffff> 0", means: "Unicode itself" },
  { name: "EUC-H", line: "<8ea1> <8edf> 65377", means: "half-width katakana" },
])("$name knows $means", async ({ name, line }) => {
  expect(await read(name)).toContain(line);
});

test.each(["Adobe-Japan1-3", "UniJIS-UTF8-H", "Nonsense"])("%s is missing", async (name) => {
  const maps = new CharacterMaps();
  await expect(maps.read(name)).rejects.toThrow();
  expect([...maps.missing]).toEqual([name]);
});

test("glyphs lead to Unicode only after a map of their collection", async () => {
  const maps = new CharacterMaps();
  await expect(maps.read("Adobe-Japan1-UCS2")).rejects.toThrow();
  await maps.read("90ms-RKSJ-H");
  await expect(maps.read("Adobe-Japan1-UCS2")).resolves.toBeInstanceOf(Uint8Array);
  await expect(maps.read("Adobe-GB1-UCS2")).rejects.toThrow();
});
