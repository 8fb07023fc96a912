import type { PageDialog } from "../../sessions/live-view/view-message.ts";
import { byId } from "../page/by-id.ts";
import { send } from "./connection.ts";
import { isDriving } from "./control.ts";
import { hint } from "./notices.ts";

/** Maximum length of an answer in characters. */
const MAX_TEXT = 10_000;

const ask = byId("ask", HTMLDialogElement);
/** The shown dialog of the page, as JSON. */
let openDialog: string | undefined;

/** Sends the driver's answers to dialogs of the page. */
export function listenToDialogs(): void {
  ask.addEventListener("close", () => {
    if (openDialog === undefined) return;
    const text = byId("ask-text", HTMLInputElement).value.slice(0, MAX_TEXT);
    const isSent = send({ type: "dialog", accept: ask.returnValue === "yes", text });
    if (!isSent) openDialog = undefined;
  });
}

/** Forgets the dialog of an earlier connection, whose answer may be lost. One that is not answered yet stays. */
export function forgetDialog(): void {
  if (!ask.open) openDialog = undefined;
}

/** Shows the dialog that the page has opened, or closes it. */
export function showDialog(dialog: PageDialog | undefined): void {
  const key = dialog && JSON.stringify(dialog);
  if (key === openDialog) return;
  openDialog = key;
  if (dialog === undefined) {
    if (ask.open) ask.close();
    return;
  }
  if (!isDriving()) return hint(`Message from the page: ${dialog.message}`);
  const isLeaving = dialog.kind === "beforeunload";
  byId("ask-title").textContent = isLeaving ? "Leave this page?" : "Message from the page";
  byId("ask-message").textContent = isLeaving ? "Changes you made may not be saved." : dialog.message;
  const text = byId("ask-text", HTMLInputElement);
  text.hidden = dialog.kind !== "prompt";
  text.maxLength = MAX_TEXT;
  text.value = dialog.defaultText.slice(0, MAX_TEXT);
  byId("ask-no").hidden = dialog.kind === "alert";
  ask.returnValue = "";
  if (!ask.open) ask.showModal();
}
