import type { Choices, Field } from "../../sessions/live-view/view-message.ts";
import type { Hit, Point } from "../page-functions.ts";

const MAX_DEPTH = 20;
const MAX_OPTIONS = 1_000;
const MAX_LABEL_LENGTH = 300;
/** Width of the picker icon: CSS pixels from the end of a field, border and padding included. */
const PICKER_ICON_WIDTH = 32;
const PICKER_KINDS = ["date", "datetime-local", "month", "week", "time", "color"] as const;

declare global {
  /** In an isolated world of the document: what the last hit found. */
  var pickedField: HTMLInputElement | undefined;
  var chosenList: HTMLSelectElement | undefined;
}

export function findHit({ x, y, isFinger }: Point & { isFinger: boolean }): Hit {
  const { element, root, point } = elementAt({ x, y });
  if (element === null) return { cursor: "default" };
  const field = element.closest("input");
  if (field !== null && hasPicker(field) && (isFinger || opensPicker(field, point))) {
    globalThis.pickedField = field;
    return { cursor: "default", field: fieldOf(field) };
  }
  const list = element.closest("select");
  if (list !== null && !list.disabled && list.size <= 1) {
    globalThis.chosenList = list;
    return { cursor: "default", choices: choicesOf(list) };
  }
  return { cursor: cursorAt(element, root, point) };
}

export function fillField(value: string): void {
  const field = globalThis.pickedField;
  if (field === undefined || !field.isConnected) return;
  field.focus();
  field.value = value;
  tellChange(field);
}

export function chooseOptions(indexes: readonly number[]): void {
  const list = globalThis.chosenList;
  if (list === undefined || !list.isConnected) return;
  list.focus();
  for (const [index, option] of [...list.options].entries()) {
    if (!option.disabled) option.selected = indexes.includes(index);
  }
  tellChange(list);
}

function tellChange(control: HTMLElement): void {
  control.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  control.dispatchEvent(new Event("change", { bubbles: true }));
}

interface Place {
  element: Element | null;
  root: Document | ShadowRoot;
  /** The point in the coordinates of the root. */
  point: Point;
}

/** Finds the element at a point, through shadow roots and frames of the same origin. */
function elementAt(point: Point): Place {
  const place: Place = { element: null, root: document, point: { ...point } };
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const hit = place.root.elementFromPoint(place.point.x, place.point.y);
    if (hit === null || hit === place.element) break;
    place.element = hit;
    const inner = hit.shadowRoot ?? documentOf(hit);
    if (inner === null) break;
    if (inner !== hit.shadowRoot) {
      const box = hit.getBoundingClientRect();
      place.point.x -= box.left + hit.clientLeft;
      place.point.y -= box.top + hit.clientTop;
    }
    place.root = inner;
  }
  return place;
}

function documentOf(element: Element): Document | null {
  try {
    return element.tagName === "IFRAME" ? (element as HTMLIFrameElement).contentDocument : null;
  } catch {
    return null;
  }
}

function hasPicker({ disabled, readOnly, type }: HTMLInputElement): boolean {
  return !disabled && !readOnly && PICKER_KINDS.some((kind) => kind === type);
}

/** With a mouse, the parts of a date are for typing; its picker is opened by the icon at the end. */
function opensPicker(field: HTMLInputElement, { x }: Point): boolean {
  if (field.type === "color") return true;
  const box = field.getBoundingClientRect();
  const isRightToLeft = getComputedStyle(field).direction === "rtl";
  return (isRightToLeft ? x - box.left : box.right - x) < PICKER_ICON_WIDTH;
}

function fieldOf(field: HTMLInputElement): Field {
  const { value, min, max, step } = field;
  // `hasPicker` has checked the type.
  return { label: labelOf(field), kind: field.type as Field["kind"], value, min, max, step };
}

function choicesOf(list: HTMLSelectElement): Choices {
  const options = [...list.options].slice(0, MAX_OPTIONS).map((option) => {
    const { parentElement } = option;
    const group = parentElement?.tagName === "OPTGROUP" ? (parentElement as HTMLOptGroupElement).label : "";
    return {
      label: option.label.slice(0, MAX_LABEL_LENGTH),
      group: group.slice(0, MAX_LABEL_LENGTH),
      isSelected: option.selected,
      isDisabled: option.disabled,
    };
  });
  return { label: labelOf(list), isMultiple: list.multiple, options };
}

function labelOf(field: HTMLInputElement | HTMLSelectElement): string {
  const label = field.labels?.[0]?.textContent.trim() || field.getAttribute("aria-label") || field.name;
  return label.slice(0, MAX_LABEL_LENGTH);
}

function cursorAt(element: Element, root: Document | ShadowRoot, { x, y }: Point): string {
  const { cursor } = getComputedStyle(element);
  if (cursor !== "auto") return (cursor.split(",").at(-1) ?? "").trim();
  const caret = caretNode(root, x, y);
  return caret?.nodeType === Node.TEXT_NODE && caret.parentElement === element ? "text" : "default";
}

function caretNode(root: Document | ShadowRoot, x: number, y: number): Node | undefined {
  // A shadow root has no carets.
  if (root.nodeType !== Node.DOCUMENT_NODE) return undefined;
  // Older browsers have only the second method.
  const page: Partial<Document> = root as Document;
  return page.caretPositionFromPoint?.(x, y)?.offsetNode ?? page.caretRangeFromPoint?.(x, y)?.startContainer;
}
