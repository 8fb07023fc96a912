import { parseHTML } from "linkedom";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { LIVE_VIEW_MARKUP } from "../../../../src/http/pages/live-view-markup.ts";
import type { PageDialog } from "../../../../src/sessions/live-view/view-message.ts";

/** Opens the program's dialogs in a page with the markup of the live view, whose connection can be lost. */
async function openPage() {
  const { document, HTMLElement, HTMLInputElement, Event } = parseHTML(`<body>${LIVE_VIEW_MARKUP}</body>`);
  // The parser has no dialogs.
  for (const dialog of document.querySelectorAll("dialog"))
    Object.assign(dialog, {
      open: false,
      returnValue: "",
      showModal: () => Object.assign(dialog, { open: true }),
      close: () => {
        Object.assign(dialog, { open: false });
        dialog.dispatchEvent(new Event("close"));
      },
    });
  vi.stubGlobal("document", document);
  vi.stubGlobal("HTMLElement", HTMLElement);
  vi.stubGlobal("HTMLInputElement", HTMLInputElement);
  vi.stubGlobal("HTMLDialogElement", HTMLElement);
  vi.stubGlobal("location", {
    href: "https://orbweaver.example/view/1?token=t&interactive=true",
    host: "",
    protocol: "",
  });
  const sent: unknown[] = [];
  const socket = Object.assign(new EventTarget(), {
    readyState: 1,
    send: (text: string): void => void sent.push(JSON.parse(text)),
  });
  class Socket {
    static readonly OPEN = 1;
    constructor() {
      return socket;
    }
  }
  vi.stubGlobal("WebSocket", Socket);
  vi.resetModules();
  const { setControl } = await import("../../../../src/page-scripts/live-view/control.ts");
  const { forgetDialog, listenToDialogs, showDialog } =
    await import("../../../../src/page-scripts/live-view/dialogs.ts");
  const { keepConnected } = await import("../../../../src/page-scripts/live-view/connection.ts");
  keepConnected({ receive: () => {}, draw: async () => {} });
  setControl(true);
  listenToDialogs();
  const ask = document.getElementById("ask") as unknown as HTMLDialogElement;
  const answer = (text: string): void => {
    (document.getElementById("ask-text") as unknown as HTMLInputElement).value = text;
    ask.returnValue = "yes";
    ask.close();
  };
  const setOpen = (isOpen: boolean): void => void Object.assign(socket, { readyState: isOpen ? 1 : 3 });
  return { ask, sent, answer, setOpen, showDialog, forgetDialog };
}

const PROMPT: PageDialog = { kind: "prompt", message: "Berth?", defaultText: "12" };

beforeEach(() => {
  vi.useFakeTimers();
  return () => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  };
});

describe("a dialog of the page", () => {
  test("is answered once", async () => {
    const { ask, sent, answer, showDialog } = await openPage();
    showDialog(PROMPT);
    expect(ask.open).toBe(true);
    answer("14");
    showDialog(PROMPT);
    expect([ask.open, sent]).toEqual([false, [{ type: "dialog", accept: true, text: "14" }]]);
  });

  test("is shown again when its answer could not be sent", async () => {
    const { ask, sent, answer, setOpen, showDialog } = await openPage();
    showDialog(PROMPT);
    setOpen(false);
    answer("14");
    setOpen(true);
    showDialog(PROMPT);
    expect([ask.open, sent]).toEqual([true, []]);
  });

  test("is shown again over a new connection when it is still open there", async () => {
    const { ask, answer, showDialog, forgetDialog } = await openPage();
    showDialog(PROMPT);
    answer("14");
    forgetDialog();
    showDialog(PROMPT);
    expect(ask.open).toBe(true);
  });

  test("keeps what is typed when the connection is lost meanwhile", async () => {
    const { sent, answer, showDialog, forgetDialog } = await openPage();
    showDialog(PROMPT);
    const text = document.getElementById("ask-text") as HTMLInputElement;
    text.value = "1";
    forgetDialog();
    showDialog(PROMPT);
    expect(text.value).toBe("1");
    answer("x".repeat(10_001));
    expect(sent).toEqual([{ type: "dialog", accept: true, text: "x".repeat(10_000) }]);
  });
});
