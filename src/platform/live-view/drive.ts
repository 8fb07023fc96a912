import { pageFunctions } from "#page-scripts";
import type { Hit } from "../../page-scripts/page-functions.ts";
import type { DriveResponse } from "../../sessions/live-view/view-message.ts";
import type { DriveMessage } from "../../sessions/live-view/viewer-message.ts";
import { toInputCommand } from "../../sessions/live-view/input-commands.ts";
import type { Caster } from "./caster.ts";
import type { ShownTab } from "./shown-tab.ts";

/** How far a finger may move between down and up and still tap: a share of the picture's sides. */
const TAP_SLACK = 0.01;

/** Runs a driver's command in the shown tab. */
export async function drive(
  caster: Caster,
  message: DriveMessage,
  answer: (response: DriveResponse) => void,
): Promise<void> {
  const { tab } = caster;
  switch (message.type) {
    case "tab":
      return await switchTab(caster, message);
    case "dialog":
      return caster.answerDialog(message.accept, message.text);
    case "navigate":
      return navigate(caster, message.url, answer);
    case "file":
      return await caster.chooser?.add(message);
    case "files":
      return await caster.endChooser(message.isChosen);
    default:
      if (tab !== undefined) await driveTab(tab, message, answer);
  }
}

type TabMessage = Exclude<DriveMessage, { type: "tab" | "dialog" | "navigate" | "file" | "files" }>;
type TouchMessage = Extract<DriveMessage, { type: "touch" }>;

async function driveTab(tab: ShownTab, message: TabMessage, answer: (response: DriveResponse) => void): Promise<void> {
  switch (message.type) {
    case "mouse":
      if (message.kind === "down" && message.button === "left" && (await offers(tab, message, answer))) return;
      return tab.input(toInputCommand(message, tab.viewport));
    case "touch":
      if (await offersToTap(tab, message, answer))
        return tab.input(toInputCommand({ ...message, kind: "cancel" }, tab.viewport));
      return tab.input(toInputCommand(message, tab.viewport));
    case "wheel":
    case "key":
    case "text":
    case "compose":
      return tab.input(toInputCommand(message, tab.viewport));
    case "copy":
      return await copy(tab, message.isCut, answer);
    case "choose":
      await tab.probe(pageFunctions.chooseOptions, message.indexes);
      return;
    case "fill":
      await tab.probe(pageFunctions.fillField, message.value);
      return;
    case "history":
      return await goInHistory(tab, message.step);
    case "reload":
      return tab.fire("Page.reload", {});
    case "stop":
      return tab.fire("Page.stopLoading");
  }
}

/** Returns the pointer's shape over a point of the page. */
export async function pointerAt(tab: ShownTab, point: { x: number; y: number }): Promise<string> {
  const hit = await findHit(tab, point);
  return typeof hit?.cursor === "string" ? hit.cursor.slice(0, 40) : "default";
}

/** @param point shares of the picture's sides */
function findHit(
  tab: ShownTab,
  { x, y, isFinger = false }: { x: number; y: number; isFinger?: boolean },
): Promise<Hit | undefined> {
  const { width, height } = tab.viewport;
  return tab.probe(pageFunctions.findHit, { x: x * width, y: y * height, isFinger });
}

/** Offers the viewing page's picker, since the browser's is not in the picture. @returns true if it has offered one */
async function offers(
  tab: ShownTab,
  point: { x: number; y: number; isFinger?: boolean },
  answer: (response: DriveResponse) => void,
): Promise<boolean> {
  const hit = await findHit(tab, point);
  if (hit?.choices !== undefined) answer({ type: "choices", choices: hit.choices });
  else if (hit?.field !== undefined) answer({ type: "field", field: hit.field });
  return hit?.choices !== undefined || hit?.field !== undefined;
}

/** Handles a finger's release: at the point where it went down it is a tap; otherwise it was a scroll. */
async function offersToTap(
  tab: ShownTab,
  { kind, points }: TouchMessage,
  answer: (response: DriveResponse) => void,
): Promise<boolean> {
  const { tap } = tab;
  const [point] = points;
  const isStill = point !== undefined && tap !== undefined && Math.hypot(point.x - tap.x, point.y - tap.y) < TAP_SLACK;
  tab.tap = points.length === 1 && (kind === "start" || isStill) ? (tap ?? point) : undefined;
  return (
    kind === "end" &&
    points.length === 0 &&
    tap !== undefined &&
    (await offers(tab, { ...tap, isFinger: true }, answer))
  );
}

async function copy(tab: ShownTab, isCut: boolean, answer: (response: DriveResponse) => void): Promise<void> {
  const text = await tab.probe(pageFunctions.readSelection);
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
  // The browser would end without a tab.
  if (tabs.length === 1) await caster.connection.send("Target.createTarget", { url: "about:blank" });
  await caster.connection.send("Target.closeTarget", { targetId: message.id });
}

/** Navigates the shown tab, without waiting for the site: until it answers, the driver may stop it or go elsewhere. */
function navigate(caster: Caster, typed: string, answer: (response: DriveResponse) => void): void {
  const url = toAddress(typed);
  if (url === undefined) return answer({ type: "notice", text: "Only http and https addresses can be opened" });
  const report = ({ errorText }: { errorText?: string }): void => {
    if (errorText === undefined || errorText === "net::ERR_ABORTED") return;
    answer({ type: "notice", text: `${url} could not be opened (${errorText})` });
  };
  caster.tab?.send("Page.navigate", { url }).then(report, () => undefined);
}

/** Returns the URL for an address that a person typed; without a scheme it is https, or http for this machine. */
function toAddress(typed: string): string | undefined {
  const text = typed.trim();
  if (text === "about:blank") return text;
  const hasScheme = /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(text);
  const isLocal = /^(localhost|127\.|\[::1\])/i.test(text);
  const url = URL.parse(hasScheme ? text : `${isLocal ? "http" : "https"}://${text}`);
  return url !== null && (url.protocol === "http:" || url.protocol === "https:") ? url.href : undefined;
}
