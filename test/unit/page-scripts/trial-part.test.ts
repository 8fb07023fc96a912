import { expect, test } from "vitest";
import { trialPart } from "../../../src/page-scripts/ocr/trial-part.ts";

const [WIDTH, HEIGHT] = [400, 4_000];

/** Returns a white picture with black lines, and a grey picture that fades slowly. */
function pageWith({ lines, fade }: { lines: [from: number, to: number]; fade: [from: number, to: number] }) {
  const pixels = new Uint8Array(WIDTH * HEIGHT).fill(255);
  for (let y = 0; y < HEIGHT; y++) {
    const isLine = y >= lines[0] && y < lines[1] && y % 40 < 12;
    const isFade = y >= fade[0] && y < fade[1];
    if (isLine) pixels.fill(0, y * WIDTH + 40, y * WIDTH + 300);
    else if (isFade) pixels.fill(40 + Math.floor((y - fade[0]) / 10), y * WIDTH, (y + 1) * WIDTH);
  }
  return { width: WIDTH, height: HEIGHT, pixels };
}

test("the part that is read on trial is where lines of text are, not a picture", () => {
  const part = trialPart(pageWith({ lines: [2_600, 3_400], fade: [200, 1_400] }));
  expect({ width: part.width, height: part.height }).toEqual({ width: WIDTH, height: 480 });
  const black = part.pixels.filter((pixel) => pixel === 0).length;
  expect(black).toBeGreaterThan(11 * 12 * 260);
});

test("a low picture is read as a whole", () => {
  const picture = { width: WIDTH, height: 500, pixels: new Uint8Array(WIDTH * 500) };
  expect(trialPart(picture)).toBe(picture);
});
