import type { FileOptions } from "../../sessions/live-view/view-message.ts";
import { byId } from "../page/by-id.ts";
import { bufferedBytes, send } from "./connection.ts";
import { isDriving } from "./control.ts";
import { hint } from "./notices.ts";

const PART_BYTES = 600_000;
const MAX_FILE_BYTES = 100_000_000;
const MAX_BUFFERED_BYTES = 4 * PART_BYTES;

const dialog = byId("files", HTMLDialogElement);
const input = byId("files-value", HTMLInputElement);
/** The page's file chooser, as JSON. */
let openChooser: string | undefined;

/** Sends the files that the driver selects. */
export function listenToFiles(): void {
  dialog.addEventListener("close", () => void sendSelected());
}

/** Forgets the file chooser of an earlier connection, whose files may be lost. One that is not answered yet stays. */
export function forgetChooser(): void {
  if (!dialog.open) openChooser = undefined;
}

/** Offers a replacement of the file chooser that the page has opened, or closes it. */
export function offerFiles(chooser: FileOptions | undefined): void {
  const key = chooser && JSON.stringify(chooser);
  if (key === openChooser) return;
  openChooser = key;
  if (chooser === undefined) {
    if (dialog.open) dialog.close();
    return;
  }
  if (!isDriving()) return hint("The page requests a file.");
  input.multiple = chooser.isMultiple;
  input.accept = chooser.accept;
  input.value = "";
  byId("files-title").textContent = chooser.isMultiple ? "Select files" : "Select a file";
  dialog.returnValue = "";
  if (!dialog.open) dialog.showModal();
}

async function sendSelected(): Promise<void> {
  if (openChooser === undefined) return;
  const files = dialog.returnValue === "yes" ? [...(input.files ?? [])] : [];
  const isTooLarge = files.reduce((sum, file) => sum + file.size, 0) > MAX_FILE_BYTES;
  if (isTooLarge) hint("Uploads are limited to 100 MB.");
  try {
    if (!isTooLarge) for (const file of files) await sendFile(file);
    if (!send({ type: "files", isChosen: files.length > 0 && !isTooLarge })) openChooser = undefined;
  } catch {
    hint("The file could not be read.");
    send({ type: "files", isChosen: false });
  }
}

async function sendFile(file: File): Promise<void> {
  const name = file.name.slice(0, 255) || "file";
  const mimeType = file.type.slice(0, 255);
  for (let at = 0; at === 0 || at < file.size; at += PART_BYTES) {
    const part = await toBase64(file.slice(at, at + PART_BYTES));
    send({ type: "file", name, mimeType, part, isLast: at + PART_BYTES >= file.size });
    while (bufferedBytes() > MAX_BUFFERED_BYTES) await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function toBase64(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => {
      const url = String(reader.result);
      resolve(url.slice(url.indexOf(",") + 1));
    });
    reader.addEventListener("error", () => reject(reader.error));
    reader.readAsDataURL(blob);
  });
}
