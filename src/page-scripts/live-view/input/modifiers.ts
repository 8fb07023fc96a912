/** True on Apple devices, where Command takes the place of Control. */
export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

const ALT = 1;

/** Returns the modifier bits of CDP. Maps Command on a Mac to Control, because the session's browser runs on Linux. */
export function modifiersOf(event: MouseEvent | KeyboardEvent): number {
  const control = event.ctrlKey || (isMac && event.metaKey);
  return (event.altKey ? ALT : 0) + (control ? 2 : 0) + (event.metaKey && !isMac ? 4 : 0) + (event.shiftKey ? 8 : 0);
}

/**
 * Returns the modifier bits of a key. Leaves out Option on a Mac where it writes a character, such as `@`: with Alt the
 * session's browser would take the key as a command.
 */
export function keyModifiersOf(event: KeyboardEvent): number {
  const { key, altKey, ctrlKey, metaKey } = event;
  const isWriting = isMac && altKey && !ctrlKey && !metaKey && [...key].length === 1;
  return modifiersOf(event) & (isWriting ? ~ALT : ~0);
}
