import type { PageSession } from "../page/page-session.ts";
import { US_KEYBOARD, type KeyDefinition } from "./us-keyboard.ts";
import { withoutPrototype } from "../../../core/without-prototype.ts";

/** Modifier bits of `Input.dispatchKeyEvent`. */
const MODIFIERS: Record<string, { key: string; bit: number }> = withoutPrototype({
  alt: { key: "Alt", bit: 1 },
  option: { key: "Alt", bit: 1 },
  control: { key: "Control", bit: 2 },
  ctrl: { key: "Control", bit: 2 },
  meta: { key: "Meta", bit: 4 },
  command: { key: "Meta", bit: 4 },
  cmd: { key: "Meta", bit: 4 },
  shift: { key: "Shift", bit: 8 },
});

/** Alternative names of keys. */
const ALIASES: Record<string, string> = withoutPrototype({
  return: "Enter",
  esc: "Escape",
  space: "Space",
  del: "Delete",
  up: "ArrowUp",
  down: "ArrowDown",
  left: "ArrowLeft",
  right: "ArrowRight",
});

/** Texts up to this length are typed key by key; longer ones are inserted at once, as if pasted. */
const MAX_TYPED = 500;

/** Types text into the focused element. Pages receive keyboard events. */
export async function typeText(page: PageSession, text: string): Promise<void> {
  if (text.length > MAX_TYPED) {
    await page.send("Input.insertText", { text });
    return;
  }
  for (const character of text) {
    const key = US_KEYBOARD.get(character === "\n" ? "Enter" : character);
    if (key === undefined) await page.send("Input.insertText", { text: character });
    else await strike(page, key, 0);
  }
}

/**
 * Presses a key, or a combination such as `Control+A`. Names are those of the DOM (`Enter`, `ArrowDown`, `a`, `KeyA`).
 * @throws Error for an unknown key
 */
export async function pressKey(page: PageSession, keys: string): Promise<void> {
  const parts = keys === "+" ? ["+"] : keys.split(/\+(?!$)/);
  const last = parts.pop() ?? "";
  const modifiers = parts.map((part) => {
    const modifier = MODIFIERS[part.trim().toLowerCase()];
    if (modifier === undefined) throw new Error(`there is no modifier key "${part}"`);
    return modifier;
  });
  const key = keyNamed(last);
  const bits = modifiers.reduce((sum, { bit }) => sum | bit, 0);
  for (const modifier of modifiers) await send(page, "rawKeyDown", keyNamed(modifier.key), bits);
  await strike(page, key, bits);
  for (const modifier of modifiers.toReversed()) await send(page, "keyUp", keyNamed(modifier.key), 0);
}

function keyNamed(name: string): KeyDefinition {
  const trimmed = name.trim() === "" ? name : name.trim();
  const lower = trimmed.toLowerCase();
  const key = US_KEYBOARD.get(ALIASES[lower] ?? trimmed) ?? byLowerCase(lower);
  if (key === undefined) throw new Error(`there is no key "${name}"`);
  return key;
}

function byLowerCase(lower: string): KeyDefinition | undefined {
  for (const [name, key] of US_KEYBOARD) if (name.toLowerCase() === lower) return key;
  return undefined;
}

async function strike(page: PageSession, key: KeyDefinition, bits: number): Promise<void> {
  const { text } = shown(key, bits);
  await Promise.all([
    send(page, text === undefined ? "rawKeyDown" : "keyDown", key, bits),
    send(page, "keyUp", key, bits),
  ]);
}

async function send(
  page: PageSession,
  type: "rawKeyDown" | "keyDown" | "keyUp",
  definition: KeyDefinition,
  bits: number,
): Promise<void> {
  const { key, text } = shown(definition, bits);
  const { code, keyCode, location = 0 } = definition;
  await page.send("Input.dispatchKeyEvent", {
    type,
    modifiers: bits,
    key,
    code,
    windowsVirtualKeyCode: keyCode,
    location,
    ...(text === undefined || type === "keyUp" ? {} : { text, unmodifiedText: text }),
  });
}

/** Returns the value of `key` and the entered text. With Control, Alt or Meta a key is a command and enters nothing. */
function shown({ key, shiftKey, text }: KeyDefinition, bits: number): { key: string; text: string | undefined } {
  const isShifted = (bits & 8) !== 0;
  const value = isShifted ? (shiftKey ?? key) : key;
  const isCommand = (bits & 7) !== 0;
  return { key: value, text: isCommand ? undefined : (text ?? (value.length === 1 ? value : undefined)) };
}
