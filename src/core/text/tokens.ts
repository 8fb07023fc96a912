const CHARS_PER_TOKEN = 3.6;
const OTHER_CHARS_PER_TOKEN = 1.3;

/** Estimates a text's tokens, rounded up: models count differently, and scripts other than Latin take more tokens. */
export function estimateTokens(text: string): number {
  let other = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x24f) other++;
  return Math.ceil((text.length - other) / CHARS_PER_TOKEN + other / OTHER_CHARS_PER_TOKEN);
}
