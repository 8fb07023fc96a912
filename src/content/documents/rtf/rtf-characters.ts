import { emphasize, escapeHtml } from "../html/html-text.ts";
import { PLAIN_CHARACTERS, type RtfState } from "./rtf-state.ts";

/** Control words that switch one property. */
const SWITCHES = {
  b: "bold",
  i: "italic",
  ab: "complexBold",
  ai: "complexItalic",
  strike: "strike",
  striked: "strike",
  v: "hidden",
  deleted: "deleted",
} as const;

/** Applies a control word that concerns characters. @returns false for another one */
export function formatCharacters(state: RtfState, name: string, isOn: boolean): boolean {
  if (Object.hasOwn(SWITCHES, name)) {
    state[SWITCHES[name as keyof typeof SWITCHES]] = isOn;
    return true;
  }
  switch (name) {
    case "super":
    case "sub":
      state.shift = isOn ? (name === "super" ? "sup" : "sub") : undefined;
      return true;
    case "nosupersub":
      state.shift = undefined;
      return true;
    case "plain":
      Object.assign(state, PLAIN_CHARACTERS);
      return true;
    case "rtlch":
    case "ltrch":
      state.isRightToLeft = name === "rtlch";
      return true;
    case "loch":
    case "hich":
    case "dbch":
      state.isDoubleByte = name === "dbch";
      return true;
    default:
      return false;
  }
}

/** Returns text as HTML with the marks of its formatting. */
export function marked(text: string, state: RtfState): string {
  const { strike, shift, isRightToLeft, isDoubleByte } = state;
  const bold = isRightToLeft ? state.complexBold : state.bold || (isDoubleByte && state.complexBold);
  const italic = isRightToLeft ? state.complexItalic : state.italic || (isDoubleByte && state.complexItalic);
  const html = emphasize(escapeHtml(text).replaceAll("\u2028", "<br>"), { bold, italic, strike });
  return shift === undefined ? html : `<${shift}>${html}</${shift}>`;
}
