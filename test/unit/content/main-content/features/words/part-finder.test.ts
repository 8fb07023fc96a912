import { expect, test } from "vitest";
import { PartFinder } from "../../../../../../src/content/main-content/features/words/part-finder.ts";

const finder = new PartFinder(["nav menu tab-", "comment reply", "men pop-up"]);

test("words are found anywhere in a name, whatever their case", () => {
  expect(finder.find("main-menu__item")).toBe(0b101);
  expect(finder.find("COMMENTS navbar")).toBe(0b111);
  expect(finder.find("men")).toBe(0b100);
  expect(finder.find("na v comme")).toBe(0);
});

test("a word is found behind the beginning of another one", () => {
  expect(finder.find("comenav")).toBe(0b101);
  expect(finder.find("commeny reply")).toBe(0b110);
});

test("a capital behind a small letter begins a part", () => {
  expect(finder.find("tabList")).toBe(0b1);
  expect(finder.find("popUp")).toBe(0b100);
  expect(finder.find("TABList")).toBe(0);
  expect(finder.find("meNu")).toBe(0);
});

test("signs beyond ASCII part words", () => {
  expect(finder.find("meénu")).toBe(0);
  expect(finder.find("menü")).toBe(0b100);
});
