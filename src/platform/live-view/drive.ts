import type { DriveMessage } from "../../sessions/live-view/viewer-message.ts";
import { toInputCommand } from "../../sessions/live-view/input-commands.ts";
import type { Caster } from "./caster.ts";
import { chooseScript, hitScript, SELECTION_SCRIPT, type Choices, type Hit } from "./page-probes.ts";
import type { ShownTab } from "./shown-tab.ts";

/** What the driver is told in return. */
export type DriveAnswer =
  | { type: "clipboard"; text: string }
  | { type: "choices"; choices: Choices }
  | { type: "pointer"; x: number; y: number; cursor: string }
  | { type: "notice"; text: string };

/** Does what a driver asked for, in the tab that is shown. */
export async function drive(caster: Caster, message: DriveMessage, answer: (told: DriveAnswer) => void): Promise<void> {
  const { tab } = caster;
  switch (message.type) {
    case "tab":
      return await switchTab(caster, message);
    case "dialog":
      return caster.answerDialog(message.accept, message.text);
    case "navigate":
      return await navigate(caster, message.url, answer);
    default:
      if (tab !== undefined) await driveTab(tab, message, answer);
  }
}

type TabMessage = Exclude<DriveMessage, { type: "tab" | "dialog" | "navigate" }>;

async function driveTab(tab: ShownTab, message: TabMessage, answer: (told: DriveAnswer) => void): Promise<void> {
  switch (message.type) {
    case "mouse":
      if (message.kind === "down" && message.button === "left" && (await offersChoices(tab, message, answer))) return;
      return tab.input(toInputCommand(message, tab.viewport));
    case "wheel":
    case "touch":
    case "key":
    case "text":
    case "compose":
      return tab.input(toInputCommand(message, tab.viewport));
    case "copy":
      return await copy(tab, message.isCut, answer);
    case "choose":
      await tab.probe(chooseScript(message.indexes));
      return;
    case "history":
      return await goInHistory(tab, message.step);
    case "reload":
      return tab.fire("Page.reload", {});
    case "stop":
      return tab.fire("Page.stopLoading");
  }
}

/** The pointer's shape over a point of the page. */
export async function pointerAt(tab: ShownTab, point: { x: number; y: number }): Promise<string> {
  const hit = await tab.probe<Hit>(hitOf(tab, point));
  return typeof hit?.cursor === "string" ? hit.cursor.slice(0, 40) : "default";
}

function hitOf({ viewport }: ShownTab, { x, y }: { x: number; y: number }): string {
  return hitScript(x * viewport.width, y * viewport.height);
}

/** An open drop-down list is not in the picture: the driver chooses from one of the viewing page's own. */
async function offersChoices(
  tab: ShownTab,
  point: { x: number; y: number },
  answer: (told: DriveAnswer) => void,
): Promise<boolean> {
  const hit = await tab.probe<Hit>(hitOf(tab, point));
  if (hit?.choices === undefined) return false;
  answer({ type: "choices", choices: hit.choices });
  return true;
}

async function copy(tab: ShownTab, isCut: boolean, answer: (told: DriveAnswer) => void): Promise<void> {
  const text = await tab.probe<string>(SELECTION_SCRIPT);
  if (typeof text !== "string" || text === "") return;
  answer({ type: "clipboard", text });
  if (!isCut) return;
  const key = { key: "Delete", code: "Delete", windowsVirtualKeyCode: 46 };
  tab.fire("Input.dispatchKeyEvent", { type: "rawKeyDown", ...key, commands: ["delete"] });
  tab.fire("Input.dispatchKeyEvent", { type: "keyUp", ...key });
}

async function goInHistory(tab: ShownTab, step: 1 | -1): Promise<void> {
  const { currentIndex, entries } = await tab.send("Page.getNavigationHistory");
  const entry = entries[currentIndex + step];
  if (entry !== undefined) tab.fire("Page.navigateToHistoryEntry", { entryId: entry.id });
}

async function switchTab(caster: Caster, message: Extract<DriveMessage, { type: "tab" }>): Promise<void> {
  if (message.action === "open") {
    await caster.connection.send("Target.createTarget", { url: "about:blank" });
    return;
  }
  const { tabs } = caster.state;
  if (!tabs.some(({ id }) => id === message.id)) return;
  if (message.action === "select") {
    await caster.connection.send("Target.activateTarget", { targetId: message.id });
    return caster.step({ kind: "tab_selected", id: message.id });
  }
  // Without any tab the browser would end.
  if (tabs.length === 1) await caster.connection.send("Target.createTarget", { url: "about:blank" });
  await caster.connection.send("Target.closeTarget", { targetId: message.id });
}

async function navigate(caster: Caster, typed: string, answer: (told: DriveAnswer) => void): Promise<void> {
  const url = toAddress(typed);
  if (url === undefined) return answer({ type: "notice", text: "Only http and https addresses can be opened" });
  const result = await caster.tab?.send("Page.navigate", { url });
  if (result?.errorText !== undefined && result.errorText !== "net::ERR_ABORTED") {
    answer({ type: "notice", text: `${url} could not be opened (${result.errorText})` });
  }
}

/** What a person typed as an address; without a scheme it is https, or http for this machine. */
export function toAddress(typed: string): string | undefined {
  const text = typed.trim();
  if (text === "about:blank") return text;
  const hasScheme = /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(text);
  const isLocal = /^(localhost|127\.|\[::1\])/i.test(text);
  const url = URL.parse(hasScheme ? text : `${isLocal ? "http" : "https"}://${text}`);
  return url !== null && (url.protocol === "http:" || url.protocol === "https:") ? url.href : undefined;
}
