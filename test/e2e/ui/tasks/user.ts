import type { Locator, Page } from "playwright-core";

export type Way = "mouse" | "keyboard";
/** A role of ARIA, or the summary of a disclosure, which has none. */
export type Role = Parameters<Page["getByRole"]>[0] | "summary";
type Place = Page | Locator;
type Name = string | RegExp;

/** Tab presses after which a control counts as out of reach. */
const MAX_TABS = 90;
const MAX_ARROWS = 30;
const WAIT_MS = 40_000;

/**
 * A person at the dashboard, who finds controls by role and accessible name. `presses` counts clicks, or key presses
 * other than Tab and typing. Choosing from a list takes two clicks, or the arrow keys after its first word.
 */
export abstract class User {
  abstract readonly way: Way;
  page: Page;
  presses = 0;
  /** Tab presses, which are not counted among `presses`, and the most that led to one control. */
  tabs = 0;
  mostTabs = 0;

  constructor(page: Page) {
    this.page = page;
    page.setDefaultTimeout(WAIT_MS);
  }

  /** Presses a button, link, tab or summary. */
  async press(role: Role, name: Name, within: Place = this.page): Promise<void> {
    await this.pressControl(find(within, role, name), role);
  }

  /** Replaces the text of a field by typing. */
  async type(label: Name, text: string, within: Place = this.page): Promise<void> {
    await this.enter(within.getByLabel(label, { exact: true }));
    await this.page.keyboard.press("Control+A");
    await this.page.keyboard.insertText(text);
  }

  /** Chooses an option of a list. */
  async choose(label: Name, option: string, within: Place = this.page): Promise<void> {
    await this.chooseOption(within.getByRole("combobox", { name: label, exact: true }), option);
  }

  /** Opens the chooser of a file. */
  async pick(label: Name): Promise<void> {
    await this.pressControl(this.page.getByLabel(label), "button");
  }

  /** Opens the command palette, types words and runs a command. */
  async command(words: string, title: Name): Promise<void> {
    await this.openPalette();
    const palette = this.page.getByRole("dialog", { name: "Command palette" });
    await palette.getByRole("combobox").waitFor();
    await this.page.keyboard.insertText(words);
    await this.runCommand(palette.getByRole("option", { name: title }));
    await palette.waitFor({ state: "hidden" });
  }

  /** Works in another tab, closes it and comes back. */
  async in(tab: Page, work: () => Promise<void>): Promise<void> {
    const before = this.page;
    this.page = tab;
    await work();
    await tab.close();
    this.page = before;
  }

  /** Waits until a text is visible. */
  async sees(text: Name, within: Place = this.page): Promise<void> {
    await within.getByText(text).filter({ visible: true }).first().waitFor();
  }

  /** Waits until a control or region is visible, and returns it. */
  async seesA(role: Role, name: Name, within: Place = this.page): Promise<Locator> {
    const found = find(within, role, name).filter({ visible: true }).first();
    await found.waitFor();
    return found;
  }

  /** Opens a view by its link, or by its shortcut. */
  abstract open(label: string, keys: string): Promise<void>;
  /** Sends the request of the playground. */
  abstract run(): Promise<void>;
  /** Presses Space or clicks. */
  abstract check(label: Name, within?: Place): Promise<void>;
  protected abstract pressControl(control: Locator, role: Role): Promise<void>;
  protected abstract enter(field: Locator): Promise<void>;
  protected abstract chooseOption(list: Locator, option: string): Promise<void>;
  protected abstract openPalette(): Promise<void>;
  protected abstract runCommand(option: Locator): Promise<void>;
}

/** Returns the control with exactly this name. `Page` and `Locator` find in the same way. */
function find(within: Place, role: Role, name: Name): Locator {
  if (role === "summary") return within.locator("summary").filter({ hasText: name });
  return within.getByRole(role, { name, exact: true });
}

export class MouseUser extends User {
  readonly way = "mouse";

  async open(label: string): Promise<void> {
    await this.press("link", label, this.page.getByRole("navigation", { name: "Main" }));
  }

  async run(): Promise<void> {
    await this.press("button", "Run");
  }

  async check(label: Name, within: Place = this.page): Promise<void> {
    await this.#click(within.getByRole("checkbox", { name: label, exact: true }));
  }

  protected async pressControl(control: Locator): Promise<void> {
    await this.#click(control);
  }

  protected async enter(field: Locator): Promise<void> {
    await this.#click(field);
  }

  protected async chooseOption(list: Locator, option: string): Promise<void> {
    this.presses += 2;
    await list.selectOption({ label: option });
  }

  protected async openPalette(): Promise<void> {
    await this.press("button", "Search", this.page.getByRole("banner"));
  }

  protected async runCommand(option: Locator): Promise<void> {
    await this.#click(option);
  }

  async #click(control: Locator): Promise<void> {
    this.presses++;
    await control.click();
  }
}

export class KeyboardUser extends User {
  readonly way = "keyboard";

  async open(_label: string, keys: string): Promise<void> {
    for (const key of keys.split(" ")) await this.#strike(key);
  }

  async run(): Promise<void> {
    await this.#strike("Control+Enter");
  }

  async check(label: Name, within: Place = this.page): Promise<void> {
    await this.#reach(within.getByRole("checkbox", { name: label, exact: true }));
    await this.#strike("Space");
  }

  protected async pressControl(control: Locator, role: Role): Promise<void> {
    if (role === "tab") return await this.#turnTo(control);
    await this.#reach(control);
    await this.#strike("Enter");
  }

  protected async enter(field: Locator): Promise<void> {
    await this.#reach(field);
  }

  /** Types the first word of the option, and moves on to it with the arrow keys. */
  protected async chooseOption(list: Locator, option: string): Promise<void> {
    await this.#reach(list);
    await this.page.keyboard.type(option.split(" ")[0] ?? option);
    for (let arrows = 0; (await list.locator("option:checked").textContent()) !== option; arrows++) {
      if (arrows === MAX_ARROWS) throw new Error(`The arrow keys do not reach ${option}`);
      await this.#strike("ArrowDown");
    }
  }

  protected async openPalette(): Promise<void> {
    await this.#strike("Control+k");
  }

  protected async runCommand(option: Locator): Promise<void> {
    for (let arrows = 0; !(await isSelected(option)); arrows++) {
      if (arrows === MAX_ARROWS) throw new Error("The arrow keys do not reach the command");
      await this.#strike("ArrowDown");
    }
    await this.#strike("Enter");
  }

  /** Moves to the selected tab with Tab, and from there with the arrow keys. */
  async #turnTo(tab: Locator): Promise<void> {
    await tab.waitFor();
    await this.#reach(tab.locator("xpath=..").locator("[aria-selected=true]"));
    for (let arrows = 0; !(await isSelected(tab)); arrows++) {
      if (arrows === MAX_ARROWS) throw new Error("The arrow keys do not reach the tab");
      await this.#strike(await tab.evaluate(arrowTo));
    }
  }

  /** Moves the focus to a control with Tab, or with Shift and Tab if it comes before. */
  async #reach(control: Locator): Promise<void> {
    await control.waitFor();
    // Looked for by its name again only when the view has drawn it anew: that takes longer than the press itself.
    let element = await control.elementHandle();
    for (let tabs = 0; ;) {
      const key = (await element?.evaluate(keyTo)) ?? "gone";
      if (key === "gone") {
        element = await control.elementHandle();
        continue;
      }
      if (key === "") {
        this.mostTabs = Math.max(this.mostTabs, tabs);
        return;
      }
      if (tabs === MAX_TABS) throw new Error(`${MAX_TABS} Tab presses do not reach ${control.toString()}`);
      tabs++;
      this.tabs++;
      await this.page.keyboard.press(key);
    }
  }

  async #strike(key: string): Promise<void> {
    this.presses++;
    await this.page.keyboard.press(key);
  }
}

async function isSelected(control: Locator): Promise<boolean> {
  return (await control.getAttribute("aria-selected")) === "true";
}

/** The parts of the page's own elements that the functions below use there. */
interface PageElement {
  isConnected: boolean;
  ownerDocument: { activeElement: PageElement | null; body: PageElement };
  parentElement: PageElement | null;
  ariaSelected: string | null;
  getRootNode(): { activeElement?: PageElement | null; host?: PageElement };
  compareDocumentPosition(other: PageElement): number;
  querySelectorAll(selector: string): Iterable<PageElement>;
}

/**
 * Returns the key that brings the focus nearer to an element; none if it has the focus, and `gone` if it is in the page no
 * more. Runs in the page.
 */
function keyTo(element: PageElement): "" | "gone" | "Tab" | "Shift+Tab" {
  if (!element.isConnected) return "gone";
  const FOLLOWING = 4;
  const root = element.getRootNode();
  if (root.activeElement === element) return "";
  const { activeElement: active, body } = element.ownerDocument;
  const own = root.host ?? element;
  const isAfter = active !== null && active !== body && (own.compareDocumentPosition(active) & FOLLOWING) !== 0;
  return isAfter ? "Shift+Tab" : "Tab";
}

/** Returns the arrow key that brings the selection nearer to a tab. Runs in the page. */
function arrowTo(tab: PageElement): "ArrowRight" | "ArrowLeft" {
  const tabs = [...(tab.parentElement?.querySelectorAll("[role=tab]") ?? [])];
  const steps = tabs.indexOf(tab) - tabs.findIndex((one) => one.ariaSelected === "true");
  return (steps + tabs.length) % tabs.length <= tabs.length / 2 ? "ArrowRight" : "ArrowLeft";
}
