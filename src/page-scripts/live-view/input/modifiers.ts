/** True on Apple devices, where Command takes the place of Control. */
export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** Returns the modifier bits of CDP. Maps Command on a Mac to Control, because the session's browser runs on Linux. */
export function modifiersOf(event: MouseEvent | KeyboardEvent): number {
  const control = event.ctrlKey || (isMac && event.metaKey);
  return (event.altKey ? 1 : 0) + (control ? 2 : 0) + (event.metaKey && !isMac ? 4 : 0) + (event.shiftKey ? 8 : 0);
}
