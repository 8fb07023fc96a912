import { withoutPrototype } from "../../../core/without-prototype.ts";

/** A key of the US layout, as `Input.dispatchKeyEvent` describes it. */
export interface KeyDefinition {
  /** Value of `KeyboardEvent.key` (W3C UI Events KeyboardEvent key Values). */
  key: string;
  /** Value of `KeyboardEvent.code` (W3C UI Events KeyboardEvent code Values). */
  code: string;
  /** Windows virtual-key code, which pages read as `keyCode`. */
  keyCode: number;
  /** Value of `key` with the shift key. */
  shiftKey?: string;
  /** Text that the key enters when that differs from `key`. */
  text?: string;
  /** Value of `KeyboardEvent.location`: 1 left, 2 right, 3 number pad. */
  location?: number;
}

const SHIFTED_DIGITS = ")!@#$%^&*(";

/** Code, virtual-key code, and the characters without and with the shift key. */
const PUNCTUATION: readonly [code: string, keyCode: number, key: string, shiftKey: string][] = [
  ["Semicolon", 186, ";", ":"], ["Equal", 187, "=", "+"], ["Comma", 188, ",", "<"], ["Minus", 189, "-", "_"],
  ["Period", 190, ".", ">"], ["Slash", 191, "/", "?"], ["Backquote", 192, "`", "~"], ["BracketLeft", 219, "[", "{"],
  ["Backslash", 220, "\\", "|"], ["BracketRight", 221, "]", "}"], ["Quote", 222, "'", '"'],
]; // prettier-ignore

/** Keys whose `key` and `code` are equal, with their virtual-key codes. */
const NAMED: Readonly<Record<string, number>> = withoutPrototype({
  Backspace: 8, Tab: 9, Pause: 19, CapsLock: 20, Escape: 27, PageUp: 33, PageDown: 34, End: 35, Home: 36, ArrowLeft: 37,
  ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, PrintScreen: 44, Insert: 45, Delete: 46, Help: 47, ContextMenu: 93,
  NumLock: 144, ScrollLock: 145,
}); // prettier-ignore

const MODIFIERS: Readonly<Record<string, number>> = withoutPrototype({ Shift: 16, Control: 17, Alt: 18, Meta: 91 });

const NUMPAD: readonly [code: string, keyCode: number, key: string][] = [
  ["NumpadMultiply", 106, "*"], ["NumpadAdd", 107, "+"], ["NumpadSubtract", 109, "-"], ["NumpadDecimal", 110, "."],
  ["NumpadDivide", 111, "/"],
]; // prettier-ignore

/** Keys by their names: a character, a value of `key`, or a value of `code`. */
export const US_KEYBOARD: ReadonlyMap<string, KeyDefinition> = layout();

function layout(): Map<string, KeyDefinition> {
  const keys = new Map<string, KeyDefinition>();
  const add = (definition: KeyDefinition): void => {
    const { code, key, shiftKey } = definition;
    keys.set(code, definition);
    if (!keys.has(key)) keys.set(key, definition);
    if (shiftKey !== undefined && !keys.has(shiftKey)) keys.set(shiftKey, { ...definition, key: shiftKey });
  };
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
  for (const index of numbers(26)) {
    const letter = String.fromCharCode(65 + index);
    add({ key: letter.toLowerCase(), code: `Key${letter}`, keyCode: 65 + index, shiftKey: letter });
  }
  for (const index of numbers(10)) {
    add({ key: String(index), code: `Digit${index}`, keyCode: 48 + index, shiftKey: SHIFTED_DIGITS.charAt(index) });
  }
  for (const [code, keyCode, key, shiftKey] of PUNCTUATION) add({ key, code, keyCode, shiftKey });
  add({ key: " ", code: "Space", keyCode: 32 });
  add({ key: "Enter", code: "Enter", keyCode: 13, text: "\r" });
  for (const [key, keyCode] of Object.entries(NAMED)) add({ key, code: key, keyCode });
  for (const index of numbers(24)) add({ key: `F${index + 1}`, code: `F${index + 1}`, keyCode: 112 + index });
  for (const [key, keyCode] of Object.entries(MODIFIERS)) {
    add({ key, code: `${key}Left`, keyCode, location: 1 });
    add({ key, code: `${key}Right`, keyCode, location: 2 });
  }
  for (const index of numbers(10)) {
    add({ key: String(index), code: `Numpad${index}`, keyCode: 96 + index, location: 3 });
  }
  for (const [code, keyCode, key] of NUMPAD) add({ key, code, keyCode, location: 3 });
  add({ key: "Enter", code: "NumpadEnter", keyCode: 13, text: "\r", location: 3 });
  return keys;
}
