import { expect, test } from "vitest";
import { descriptionText, pictureText } from "../../../../../src/content/documents/drawings/picture-text.ts";

test.each([
  ["A heron in the reeds. Description automatically generated with medium confidence", "A heron in the reeds."],
  ["A heron\n\nAI-generated content may be incorrect.", "A heron"],
  ["A heron at 5 o'clock", "A heron at 5 o'clock"],
  ["Picture 12", ""],
  ["Image", ""],
  ["Image of a heron", "Image of a heron"],
  [String.raw`C:\Users\ada\heron pictures\one.jpg`, ""],
  ["heron-1.PNG", ""],
  ["See heron-1.png", "See heron-1.png"],
])("descriptionText(%j) has what describes the picture", (description, text) => {
  expect(descriptionText(description)).toBe(text);
});

test("pictureText is a paragraph in italics, escaped", () => {
  expect(pictureText("Oak & <elm>")).toBe("<p><em>Oak &amp; &lt;elm&gt;</em></p>");
  expect(pictureText(undefined)).toBe("");
});
