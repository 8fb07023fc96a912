import type { FileOptions } from "../../sessions/live-view/view-message.ts";

const MAX_BYTES = 100_000_000;
const MAX_ACCEPT_LENGTH = 1_000;

/** A file field as the isolated world sees it; the page cannot see what is stored on it here. */
interface FileField extends HTMLInputElement {
  heldBytes?: number | undefined;
  openParts?: BlobPart[] | undefined;
  heldFiles?: File[] | undefined;
}

export function readFileOptions({ multiple, accept }: FileField): FileOptions {
  return { isMultiple: multiple, accept: accept.slice(0, MAX_ACCEPT_LENGTH) };
}

/** @throws Error when the files together are too large */
export function addFilePart(
  field: FileField,
  { name, mimeType, part, isLast }: { name: string; mimeType: string; part: string; isLast: boolean },
): void {
  const bytes = Uint8Array.from(atob(part), (character) => character.charCodeAt(0));
  field.heldBytes = (field.heldBytes ?? 0) + bytes.length;
  if (field.heldBytes > MAX_BYTES) throw new Error("too large");
  (field.openParts ??= []).push(bytes);
  if (!isLast) return;
  (field.heldFiles ??= []).push(new File(field.openParts, name, { type: mimeType }));
  field.openParts = [];
}

export function endFileChoice(field: FileField, isChosen: boolean): void {
  const files = field.heldFiles ?? [];
  field.heldFiles = undefined;
  field.openParts = undefined;
  field.heldBytes = undefined;
  if (!isChosen || files.length === 0) {
    field.dispatchEvent(new Event("cancel", { bubbles: true }));
    return;
  }
  const transfer = new DataTransfer();
  for (const file of field.multiple ? files : files.slice(0, 1)) transfer.items.add(file);
  field.files = transfer.files;
  field.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  field.dispatchEvent(new Event("change", { bubbles: true }));
}
