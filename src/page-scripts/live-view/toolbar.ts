import type { ViewState } from "../../sessions/live-view/view-message.ts";
import { byId } from "../page/by-id.ts";
import { canvas } from "../page/picture-canvas.ts";
import { send } from "./connection.ts";
import { isDriving } from "./control.ts";
import { say } from "./notices.ts";

const CROSS = '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M6 6l12 12M18 6 6 18"/></svg>';

let isLoading = false;
let announced = "";

/** Sends the commands of the toolbar. */
export function listenToToolbar(): void {
  byId("back").addEventListener("click", () => send({ type: "history", step: -1 }));
  byId("forward").addEventListener("click", () => send({ type: "history", step: 1 }));
  byId("reload").addEventListener("click", () => send({ type: isLoading ? "stop" : "reload" }));
  byId("new").addEventListener("click", () => send({ type: "tab", action: "open" }));
  byId("go").addEventListener("submit", (event) => {
    event.preventDefault();
    const url = byId("address", HTMLInputElement).value.trim();
    if (!isDriving() || url === "") return;
    send({ type: "navigate", url });
    byId("keys").focus();
  });
}

/** Shows the tabs, and the title and address of the shown one. */
export function showTabs(state: ViewState): void {
  ({ isLoading } = state);
  const tab = state.tabs.find(({ id }) => id === state.shown);
  const address = byId("address", HTMLInputElement);
  if (document.activeElement !== address || !isDriving()) address.value = tab?.url ?? "";
  const title = tab === undefined ? "No tab" : tab.title || tab.url;
  document.title = `${title} – Live view`;
  byId("heading").textContent = `${title} – Live view`;
  canvas.setAttribute("aria-label", `Live view of ${title}`);
  if (title !== announced && !isLoading) {
    announced = title;
    say(`Showing ${title}`);
  }
  const reload = byId("reload");
  reload.classList.toggle("turning", isLoading);
  reload.setAttribute("aria-label", isLoading ? "Stop" : "Reload");
  reload.title = isLoading ? "Stop" : "Reload";
  listTabs(state);
}

function listTabs({ tabs, shown }: ViewState): void {
  const list = byId("tabs");
  const { activeElement } = document;
  const focused = activeElement instanceof HTMLElement && list.contains(activeElement) ? activeElement : undefined;
  const key = focused?.dataset["key"];
  list.replaceChildren(...tabs.map((tab) => tabItem(tab, tab.id === shown)));
  if (key !== undefined && key !== "") {
    [...list.querySelectorAll("button")].find((button) => button.dataset["key"] === key)?.focus();
  }
}

function tabItem({ id, title, url }: ViewState["tabs"][number], isShown: boolean): HTMLElement {
  const item = document.createElement("li");
  item.className = isShown ? "shown" : "";
  const name = isDriving() ? button(`tab ${id}`) : document.createElement("span");
  name.className = "name";
  name.textContent = title || url;
  name.title = title || url;
  if (isShown) name.setAttribute("aria-current", "true");
  item.append(name);
  if (!isDriving()) return item;
  name.addEventListener("click", () => send({ type: "tab", action: "select", id }));
  const close = button(`shut ${id}`);
  close.className = "shut";
  close.setAttribute("aria-label", `Close ${name.textContent}`);
  close.innerHTML = CROSS;
  close.addEventListener("click", () => send({ type: "tab", action: "close", id }));
  item.append(close);
  return item;
}

/** @param key finds the button again when the list is drawn anew, to keep the focus */
function button(key: string): HTMLElement {
  const element = document.createElement("button");
  element.type = "button";
  element.dataset["key"] = key;
  return element;
}
