import { expect, test } from "vitest";
import { missingWords } from "../../../../src/content/answers/subject-words.ts";

test.each([
  ["packable synthetic insulation layer", "insulation"],
  ["the pumps were repaired", "repair"],
  ["感觉自己正在成为Rebecca。", "rebecca"],
  ["Rebeccaと一緒に行きました", "rebecca"],
  ["公衆無線LANを使う", "lan"],
  ["die Brücken der Insel", "brucke"],
])("%s mentions %s", (text, word) => {
  expect(missingWords(text, [word])).toEqual([]);
});

test.each([
  ["the planet", "lan"],
  ["a rebeccamundi fish", "rebecca"],
  ["insulationists of the north", "insul"],
])("%s does not mention %s", (text, word) => {
  expect(missingWords(text, [word])).toEqual([word]);
});
