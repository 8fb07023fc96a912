import { describe, expect, test } from "vitest";
import { toAscii } from "../../../../src/tools/build/ascii-source.ts";

/** What a module's default export is. */
async function valueOf(code: string): Promise<unknown> {
  const module = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { default: unknown };
  return module.default;
}

describe("a source in ASCII", () => {
  test.each([
    ["a string", `export default "Zürich – 東京 👍"`],
    ["a template", "const city = '東京'; export default `nach ${city} – 👍`"],
    ["a name", `const größe = 3; export default größe`],
    ["a class of letters", `export default "a – b·c".split(/\\s*[–·]\\s*/)`],
    ["a class with the u flag", `export default "x👍y".replace(/[👍–]/u, "")`],
    ["a class with the v flag", `export default "x👍y".replace(/[👍–]/v, "")`],
    [
      "a regular expression after a bracket",
      `const f = (x) => /é/.test(x) && /[é]/u.test(x); export default f("café")`,
    ],
  ])("means the same: %s", async (_, source) => {
    const code = await toAscii(source);
    expect(code).toMatch(/^[\0-\x7f]*$/);
    expect(await valueOf(code)).toEqual(await valueOf(source));
  });

  test("leaves raw templates as they are, whose escapes would be read as they stand", async () => {
    const source = "export default String.raw`a – b`";
    expect(await valueOf(await toAscii(source))).toBe("a – b");
  });
});
