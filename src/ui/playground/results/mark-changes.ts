/** Differences of a channel below this are noise of the compression. */
const TOLERANCE = 24;

/** Colours the second image's pixels by their difference (RGBA, 4 bytes each). @returns The number of different pixels. */
export function markChanges(first: Uint8ClampedArray, second: Uint8ClampedArray): number {
  let changed = 0;
  for (let at = 0; at < second.length; at += 4) {
    const isChanged =
      channelDiffers(first, second, at) ||
      channelDiffers(first, second, at + 1) ||
      channelDiffers(first, second, at + 2) ||
      channelDiffers(first, second, at + 3);
    if (isChanged) {
      changed++;
      second[at] = 220;
      second[at + 1] = 38;
      second[at + 2] = 38;
      second[at + 3] = 255;
    } else second[at + 3] = FADED;
  }
  return changed;
}

const FADED = 70;

function channelDiffers(first: Uint8ClampedArray, second: Uint8ClampedArray, at: number): boolean {
  return Math.abs((first[at] ?? 0) - (second[at] ?? 0)) > TOLERANCE;
}
