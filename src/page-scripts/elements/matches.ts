declare global {
  /** In the isolated world of the document. */
  var storedMatches: Element[] | undefined;
}

export function hasMatch(selector: string): boolean {
  return document.querySelector(selector) !== null;
}

export function firstMatch(selector: string): Element | null {
  return document.querySelector(selector);
}

export function storeMatches(selector: string): number {
  globalThis.storedMatches = [...document.querySelectorAll(selector)];
  return globalThis.storedMatches.length;
}

export function storedMatch(index: number): Element | undefined {
  return globalThis.storedMatches?.[index];
}

export function click(element: HTMLElement): void {
  element.click();
}

export function hasFocus(): boolean {
  const { activeElement, body, documentElement, designMode } = document;
  const hasField = activeElement !== null && activeElement !== body && activeElement !== documentElement;
  return hasField || designMode === "on" || (body as HTMLElement | null)?.isContentEditable === true;
}
