import type { PageStyles, StateName } from "../../core/scrape/page-styles.ts";
import { chromaOf, hueOf, MIN_CHROMA, toHexColor } from "./css-color.ts";
import { mostFrequent } from "../main-content/frequency.ts";

/** Words of design systems for each state. */
const WORDS: Record<StateName, RegExp> = {
  success: /success|positive/i,
  warning: /warning|caution/i,
  error: /error|danger|negative|destructive/i,
};
/** Ranges of hues in which a state is shown, in degrees; another cause often colours elements of its name. */
const HUES: Record<StateName, [number, number]> = { success: [75, 185], warning: [20, 65], error: [330, 20] };
/** Variants of a token, which are not the colour itself. */
const VARIANT =
  /foreground|text|content|contrast|border|outline|ring|hover|active|focus|muted|subtle|light|dark|soft|bg|background|surface|on-|-(?:50|1\d\d|2\d\d|3\d\d|4\d\d|7\d\d|8\d\d|9\d\d)\b/i;

/** Returns the colours of success, warnings and errors: from the page's custom properties, else from its elements. */
export function stateColors(styles: Pick<PageStyles, "tokens" | "states">): Partial<Record<StateName, string>> {
  const states = ["success", "warning", "error"] as const;
  const found = states.map((state) => [state, tokenColor(styles, state) ?? shownColor(styles, state)] as const);
  return Object.fromEntries(found.filter(([, color]) => color !== undefined));
}

function tokenColor({ tokens }: Pick<PageStyles, "tokens">, state: StateName): string | undefined {
  const named = tokens.filter(({ name }) => WORDS[state].test(name) && !VARIANT.test(name));
  const [shortest] = named.toSorted((one, other) => one.name.length - other.name.length);
  return shortest && toHexColor(shortest.color);
}

function shownColor({ states }: Pick<PageStyles, "states">, state: StateName): string | undefined {
  const [from, to] = HUES[state];
  const isFitting = (color: string): boolean => {
    const hue = hueOf(color);
    return chromaOf(color) >= MIN_CHROMA && (from < to ? hue >= from && hue <= to : hue >= from || hue <= to);
  };
  const colors = states
    .filter((element) => element.state === state)
    .flatMap((element) => {
      const hexes = element.colors.flatMap((color) => toHexColor(color) ?? []).filter(isFitting);
      return hexes.toSorted((one, other) => chromaOf(other) - chromaOf(one)).slice(0, 1);
    });
  return mostFrequent(colors);
}
