import { _keyDefinitions } from "@cloudflare/puppeteer/internal/common/USKeyboardLayout.js";
import type { PageSession } from "../page/page-session.ts";

type KeyName = keyof typeof _keyDefinitions;

/** Modifier bits of `Input.dispatchKeyEvent`. */
const MODIFIERS: Record<string, { key: KeyName; bit: number }> = {
  alt: { key: "Alt", bit: 1 },
  option: { key: "Alt", bit: 1 },
  control: { key: "Control", bit: 2 },
  ctrl: { key: "Control", bit: 2 },
  meta: { key: "Meta", bit: 4 },
  command: { key: "Meta", bit: 4 },
  cmd: { key: "Meta", bit: 4 },
  shift: { key: "Shift", bit: 8 },
};

/** Alternative names of keys. */
const ALIASES: Record<string, KeyName> = {
  return: "Enter",
  esc: "Escape",
  space: "Space",
  del: "Delete",
  up: "ArrowUp",
  down: "ArrowDown",
  left: "ArrowLeft",
  right: "ArrowRight",
};

/** Texts up to this length are typed key by key; longer ones are inserted at once, as if pasted. */
const MAX_TYPED = 500;

/** Types text into the focused element. Pages receive keyboard events. */
export async function typeText(page: PageSession, text: string): Promise<void> {
  if (text.length > MAX_TYPED) {
    await page.send("Input.insertText", { text });
    return;
  }
  for (const character of text) {
    const key = character === "\n" ? "Enter" : character;
    if (isKey(key)) await strike(page, key, 0);
    else await page.send("Input.insertText", { text: character });
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
  for (const modifier of modifiers) await send(page, "rawKeyDown", modifier.key, bits);
  await strike(page, key, bits);
  for (const modifier of modifiers.toReversed()) await send(page, "keyUp", modifier.key, 0);
}

function keyNamed(name: string): KeyName {
  const trimmed = name.trim() === "" ? name : name.trim();
  const found = ALIASES[trimmed.toLowerCase()] ?? (isKey(trimmed) ? trimmed : undefined);
  const byCase = found ?? Object.keys(_keyDefinitions).find((key) => key.toLowerCase() === trimmed.toLowerCase());
  if (byCase === undefined || !isKey(byCase)) throw new Error(`there is no key "${name}"`);
  return byCase;
}

function isKey(name: string): name is KeyName {
  return name in _keyDefinitions;
}

async function strike(page: PageSession, key: KeyName, bits: number): Promise<void> {
  const { text } = definitionOf(key, bits);
  await Promise.all([
    send(page, text === undefined ? "rawKeyDown" : "keyDown", key, bits),
    send(page, "keyUp", key, bits),
  ]);
}

async function send(page: PageSession, type: "rawKeyDown" | "keyDown" | "keyUp", name: KeyName, bits: number) {
  const { key, code, keyCode, text, location } = definitionOf(name, bits);
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

function definitionOf(name: KeyName, bits: number) {
  const {
    key = name,
    shiftKey,
    code = "",
    keyCode = 0,
    shiftKeyCode,
    text,
    shiftText,
    location = 0,
  } = _keyDefinitions[name];
  const isShifted = (bits & 8) !== 0;
  const shown = isShifted ? (shiftKey ?? key) : key;
  // With Control, Alt or Meta a key is a command and writes nothing.
  const written =
    (bits & 7) === 0
      ? ((isShifted ? shiftText : undefined) ?? text ?? (shown.length === 1 ? shown : undefined))
      : undefined;
  return { key: shown, code, keyCode: isShifted ? (shiftKeyCode ?? keyCode) : keyCode, text: written, location };
}
