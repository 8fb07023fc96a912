import type { ViewMessage, ViewState } from "../../sessions/live-view/view-message.ts";
import { keepConnected, noteWelcome, showEnd } from "./connection.ts";
import { setControl } from "./control.ts";
import { forgetDialog, listenToDialogs, showDialog } from "./dialogs.ts";
import { forgetChooser, listenToFiles, offerFiles } from "./files.ts";
import { listenToKeyboard } from "./input/keyboard.ts";
import { listenToPointer } from "./input/pointer.ts";
import { hint } from "./notices.ts";
import { listenToPickers, offerChoices, offerField } from "./pickers.ts";
import { draw, fitScreen, showPointer } from "./screen.ts";
import { listenToToolbar, showTabs } from "./toolbar.ts";

/** The program of the live view: it connects to the session, shows its frames and sends the viewer's input. */
function start(): void {
  listenToToolbar();
  listenToDialogs();
  listenToPickers();
  listenToFiles();
  listenToPointer();
  listenToKeyboard();
  fitScreen();
  keepConnected({ receive, draw });
}

function receive(message: ViewMessage): void {
  switch (message.type) {
    case "hello":
      noteWelcome();
      forgetDialog();
      forgetChooser();
      return setControl(message.mode === "drive");
    case "state":
      return showState(message);
    case "ended":
      return showEnd();
    case "refused":
      return hint("This link is view-only.");
    case "notice":
      return hint(message.text);
    case "pointer":
      return showPointer(message);
    case "choices":
      return offerChoices(message.choices);
    case "field":
      return offerField(message.field);
    case "clipboard":
      return void copy(message.text);
    case "pong":
      return;
  }
}

function showState(state: ViewState): void {
  showTabs(state);
  showDialog(state.dialog);
  offerFiles(state.chooser);
}

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    hint("Copied");
  } catch {
    // Denied, or missing on a page without TLS.
    hint("Clipboard access was denied.");
  }
}

start();
