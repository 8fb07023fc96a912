import { expect, test } from "vitest";
import { boundaryOf } from "../../../../src/http/body/limit-parts.ts";
import { leastProcessorMs } from "../../../processor-time.ts";

test("the boundary of a form is found beside other parameters", () => {
  expect(boundaryOf("multipart/form-data; charset=utf-8; boundary=a-line")).toBe("a-line");
  expect(boundaryOf(`multipart/form-data; boundary="${"b".repeat(200)}"`)).toBe("b".repeat(200));
  expect(boundaryOf(undefined)).toBeUndefined();
});

test.each([
  ["boundaries", `${";boundary=x".repeat(5_800)}!;`],
  ["parameters", `${";a=x".repeat(15_000)};boundary=x!;`],
  ["spaces", `${" ".repeat(60_000)};boundary=x!`],
])("a type of 60 kB with %s takes no time, and names no boundary", async (_what, parameters) => {
  const type = `multipart/form-data${parameters}`;
  expect(boundaryOf(type)).toBeUndefined();
  expect(await leastProcessorMs(() => boundaryOf(type), 20)).toBeLessThan(20);
});
