const MAX_DEPTH = 20;
const MAX_LENGTH = 1_000_000;

export function readSelection(): string {
  const active = activeElement();
  const field = active === null ? undefined : textFieldOf(active);
  if (field !== undefined && field.selectionStart !== null && field.selectionEnd !== null) {
    return field.value.slice(field.selectionStart, field.selectionEnd).slice(0, MAX_LENGTH);
  }
  return String((active?.ownerDocument ?? document).getSelection() ?? "").slice(0, MAX_LENGTH);
}

/** Returns the focused element, in shadow roots and frames of the same origin as well. */
function activeElement(): Element | null {
  let active = document.activeElement;
  for (let depth = 0; depth < MAX_DEPTH && active !== null; depth++) {
    const inner = active.shadowRoot?.activeElement ?? activeInFrame(active);
    if (inner === null) break;
    active = inner;
  }
  return active;
}

function activeInFrame(element: Element): Element | null {
  try {
    return element.tagName === "IFRAME"
      ? ((element as HTMLIFrameElement).contentDocument?.activeElement ?? null)
      : null;
  } catch {
    return null;
  }
}

function textFieldOf(element: Element): HTMLInputElement | HTMLTextAreaElement | undefined {
  if (element.tagName === "TEXTAREA") return element as HTMLTextAreaElement;
  if (element.tagName !== "INPUT") return undefined;
  const input = element as HTMLInputElement;
  return input.type === "password" ? undefined : input;
}
