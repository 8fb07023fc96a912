import type { Choices, Field } from "../../sessions/live-view/view-message.ts";

/**
 * Programs that run in an isolated world of the shown page. They find the element under the mouse, through shadow roots
 * and frames of the same origin; their results come from an untrusted page.
 */

/** Width of the picker icon: CSS pixels from the end of a field, border and padding included. */
const PICKER_SIGN_WIDTH = 32;

const FIND_HIT = `
  let root = document, element = null, left = x, top = y;
  for (let depth = 0; depth < 20; depth++) {
    const hit = root.elementFromPoint(left, top);
    if (hit === null || hit === element) break;
    element = hit;
    if (hit.shadowRoot !== null) { root = hit.shadowRoot; continue; }
    let inner = null;
    try { inner = hit.tagName === "IFRAME" ? hit.contentDocument : null; } catch {}
    if (inner === null) break;
    const box = hit.getBoundingClientRect();
    left -= box.left + hit.clientLeft;
    top -= box.top + hit.clientTop;
    root = inner;
  }`;

/**
 * The element at a point (CSS pixels): the pointer's shape there, and the picker that a press would open. Browsers open
 * pickers outside of the page, where a screencast does not show them.
 */
export interface Hit {
  cursor: string;
  choices?: Choices;
  field?: Field;
}

export function hitScript({ x, y, isFinger }: { x: number; y: number; isFinger: boolean }): string {
  return `((x, y, isFinger) => {${FIND_HIT}
  if (element === null) return { cursor: "default" };
  const labelOf = (field) => (field.labels?.[0]?.textContent.trim() || field.getAttribute("aria-label") || field.name || "").slice(0, 300);
  const field = element.closest("input");
  if (field !== null && !field.disabled && !field.readOnly && ["date", "datetime-local", "month", "week", "time", "color"].includes(field.type)) {
    const box = field.getBoundingClientRect();
    const fromEnd = getComputedStyle(field).direction === "rtl" ? left - box.left : box.right - left;
    // With a mouse, the parts of a date are for typing; its picker is opened by the sign at the end.
    if (isFinger || field.type === "color" || fromEnd < ${PICKER_SIGN_WIDTH}) {
      globalThis.pickedField = field;
      const { type: kind, value, min, max, step } = field;
      return { cursor: "default", field: { label: labelOf(field), kind, value, min, max, step } };
    }
  }
  const list = element.closest("select");
  if (list !== null && !list.disabled && list.size <= 1) {
    globalThis.chosenList = list;
    const options = [...list.options].slice(0, 1000).map((option) => ({
      label: option.label.slice(0, 300),
      group: option.parentElement?.tagName === "OPTGROUP" ? option.parentElement.label.slice(0, 300) : "",
      isSelected: option.selected,
      isDisabled: option.disabled,
    }));
    return { cursor: "default", choices: { label: labelOf(list), isMultiple: list.multiple, options } };
  }
  const { cursor } = getComputedStyle(element);
  if (cursor !== "auto") return { cursor: cursor.split(",").pop().trim() };
  const caret = root.caretPositionFromPoint?.(left, top)?.offsetNode ?? root.caretRangeFromPoint?.(left, top)?.startContainer;
  return { cursor: caret?.nodeType === 3 && caret.parentElement === element ? "text" : "default" };
})(${x}, ${y}, ${isFinger})`;
}

/** Returns the program that fills the field of the last hit, as a user does. */
export function fillScript(value: string): string {
  return `((value) => {
  const field = globalThis.pickedField;
  if (field === undefined || !field.isConnected) return;
  field.focus();
  field.value = value;
  field.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  field.dispatchEvent(new Event("change", { bubbles: true }));
})(${JSON.stringify(value)})`;
}

/** Returns the program that chooses in the list of the last hit, as a user does: pages receive `input` and `change`. */
export function chooseScript(indexes: readonly number[]): string {
  return `((indexes) => {
  const list = globalThis.chosenList;
  if (list === undefined || !list.isConnected) return;
  list.focus();
  [...list.options].forEach((option, index) => { if (!option.disabled) option.selected = indexes.includes(index); });
  list.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  list.dispatchEvent(new Event("change", { bubbles: true }));
})(${JSON.stringify(indexes)})`;
}

/** Program that returns the selected text, in a field or in the page, except in password fields. */
export const SELECTION_SCRIPT = `(() => {
  let active = document.activeElement;
  for (let depth = 0; depth < 20 && active !== null; depth++) {
    let inner = active.shadowRoot?.activeElement ?? null;
    try { inner ??= active.tagName === "IFRAME" ? active.contentDocument?.activeElement ?? null : null; } catch {}
    if (inner === null) break;
    active = inner;
  }
  const isField = active?.tagName === "TEXTAREA" || (active?.tagName === "INPUT" && active.type !== "password");
  if (isField && active.selectionStart !== null) {
    return active.value.slice(active.selectionStart, active.selectionEnd).slice(0, 1000000);
  }
  return String((active?.ownerDocument ?? document).getSelection() ?? "").slice(0, 1000000);
})()`;
