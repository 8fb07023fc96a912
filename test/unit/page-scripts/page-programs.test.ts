import { parse } from "acorn";
import { describe, expect, test } from "vitest";
import { pagePrograms } from "#page-scripts";

describe.each(Object.entries(pagePrograms))("the program %s", (_name, program) => {
  test("is a classic script that a script element can hold", () => {
    expect(parse(program, { ecmaVersion: 2023, sourceType: "script" }).body.length).toBeGreaterThan(0);
    expect(program).not.toMatch(/<\/script|<!--/i);
  });

  test("leaves no names in the page", () => {
    const { body } = parse(program, { ecmaVersion: 2023, sourceType: "script" });
    expect(body.filter(({ type }) => type !== "ExpressionStatement")).toEqual([]);
  });
});
