/**
 * Programs that are evaluated in a world of our own inside the shown page. They find what is under the mouse, through
 * shadow roots and frames of the same origin; what they answer is data from a stranger's page.
 */

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

/** What lies at a point (CSS pixels): the mouse pointer's shape there, and the choices of a drop-down list. */
export interface Hit {
  cursor: string;
  choices?: Choices;
}

/** A drop-down list. The browser draws an open one outside of the page, where no screencast sees it. */
export interface Choices {
  label: string;
  isMultiple: boolean;
  options: { label: string; group: string; isSelected: boolean; isDisabled: boolean }[];
}

export function hitScript(x: number, y: number): string {
  return `((x, y) => {${FIND_HIT}
  if (element === null) return { cursor: "default" };
  const list = element.closest("select");
  if (list !== null && !list.disabled && list.size <= 1) {
    globalThis.chosenList = list;
    const options = [...list.options].slice(0, 1000).map((option) => ({
      label: option.label.slice(0, 300),
      group: option.parentElement?.tagName === "OPTGROUP" ? option.parentElement.label.slice(0, 300) : "",
      isSelected: option.selected,
      isDisabled: option.disabled,
    }));
    const label = list.labels?.[0]?.textContent.trim() || list.getAttribute("aria-label") || list.name || "";
    return { cursor: "default", choices: { label: label.slice(0, 300), isMultiple: list.multiple, options } };
  }
  const { cursor } = getComputedStyle(element);
  if (cursor !== "auto") return { cursor: cursor.split(",").pop().trim() };
  const caret = root.caretPositionFromPoint?.(left, top)?.offsetNode ?? root.caretRangeFromPoint?.(left, top)?.startContainer;
  return { cursor: caret?.nodeType === 3 && caret.parentElement === element ? "text" : "default" };
})(${x}, ${y})`;
}

/** Chooses in the list that the last hit found, the way a person does: pages see \`input\` and \`change\`. */
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

/** The selected text, in a field or in the page; passwords stay where they are. */
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
