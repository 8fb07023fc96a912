import type { CdpConnection, CdpEvent } from "../cdp-connection.ts";

/** Answers a dialog of a page, which waits for it: leaving the page is accepted, and every other dialog is declined. */
export function answerDialog(event: CdpEvent, connection: CdpConnection): void {
  if (event.method !== "Page.javascriptDialogOpening") return;
  const accept = event.params.type === "beforeunload";
  connection.send("Page.handleJavaScriptDialog", { accept }, event.sessionId).catch(() => undefined);
}
