import type { PageStyles } from "../core/scrape/page-styles.ts";
import type { OriginState } from "../core/sessions/profile.ts";
import type { Choices, Field, FileOptions } from "../sessions/live-view/view-message.ts";

/** An element or another object of a page. It is passed to a function, and returned, by its id in the protocol. */
export type PageObject = object;

/** Position in CSS pixels. */
export interface Point {
  x: number;
  y: number;
}

/** State of a page that may still be loading. */
export interface PageProgress {
  /** True for a scripted page that has no text to read yet, or marks its visible content as busy. */
  isOnItsWay: boolean;
  /** Time until the page redirects (`meta refresh`), in ms; -1 when it does not. */
  refreshMs: number;
}

/** A page as it is rendered now. */
export interface RenderedHtml {
  html: string;
  /** URL of the current document, history changes included. */
  url: string;
  /** IANA time zone name. */
  timezone: string;
  isCut: boolean;
}

/** An item of a list as it is shown now. */
export interface ListItem {
  html: string;
  /** The item's identity in the list; empty when only its content identifies it. */
  key: string;
  /** The item's text and addresses. */
  content: string;
}

/** Result of scrolling a list. */
export interface ScrolledList {
  /** True when nothing matches the selector of the scrolling element. */
  isMissing: boolean;
  /** True when the list shows its end as it is now; more items may still be loaded. */
  isAtEnd: boolean;
}

/** Holds the value of a script of the caller, which stays in the page. */
export interface HeldValue {
  value: unknown;
}

/** The value of a script of the caller, as JSON. */
export interface DescribedValue {
  /** A value of `typeof`, or `null` or `array`. */
  type: string;
  /** Absent for a value that is too long; null for undefined. */
  json?: string | null;
  /** Length of a value that is too long. */
  tooLong?: number;
}

/**
 * The element at a point: the pointer's shape there, and the picker that a press would open. Browsers open pickers
 * outside of the page, where a screencast does not show them.
 */
export interface Hit {
  cursor: string;
  choices?: Choices;
  field?: Field;
}

/**
 * Functions that run in pages; arguments and results are JSON, or objects of the page. Their results come from an
 * untrusted page.
 */
export interface PageFunctions {
  /** Runs in every frame before the page's own scripts. */
  beforePage(): void;
  /** Runs in workers before their scripts. */
  beforeWorker(): void;
  /** Runs in documents that are not loaded over the network: forbids sockets. */
  forbidSockets(): void;
  /** Returns the ms since the document last changed; its first call starts to observe it. */
  quietMs(): number;
  readProgress(): PageProgress;

  /** Returns the page with open shadow roots and readable frames in place. */
  readHtml(maxLength: number, maxMessageBytes: number): RenderedHtml;
  /** Triggers lazy loading: scrolls to the end, waits for images, and returns to the top. */
  scrollThrough(limits: { maxHeight: number; budgetMs: number }): Promise<void>;
  /** Scrolls the page by one screen. */
  scrollPage(direction: "up" | "down"): void;
  /** Scrolls an element by its height, or shows one that cannot scroll. */
  scrollElement(direction: "up" | "down", selector: string): "missing" | "done";
  /** Scrolls the page or an element by one screen, and reports whether it has moved. */
  scrollOneScreen(direction: "up" | "down", selector: string | null): "missing" | "moved" | "still";
  /** Returns the items of a list that are in the page now, in the order in which they are shown. */
  readItems(selector: string, maxItems: number, maxMessageBytes: number): ListItem[];
  /** Scrolls a list by most of its visible part: the given element, or the one around its items that scrolls. */
  scrollList(selector: string, within: string | null): ScrolledList;
  /** True when a button that loads more items is there, visible and enabled. */
  canLoadMore(selector: string): boolean;
  /** Puts the collected items in the place of those that the page shows. */
  showItems(selector: string, items: readonly string[]): void;
  readStyles(): PageStyles;

  hasMatch(selector: string): boolean;
  firstMatch(selector: string): PageObject | null;
  /** Keeps all matches for `storedMatch` and returns their number. */
  storeMatches(selector: string): number;
  storedMatch(index: number): PageObject | undefined;
  /** Returns the centre of an element's first visible box, if a click there would hit the element. */
  clickPoint(element: PageObject): Point | undefined;
  click(element: PageObject): void;
  /** True when an element of the page has the focus, or the page is edited as a whole. */
  hasFocus(): boolean;
  /** Runs beside the page's scripts, whose `HeldValue` it is given. @throws what a promise was rejected with */
  describeValue(held: PageObject, maxLength: number): Promise<DescribedValue>;

  /** Finds what a press of a mouse or a finger at a point reaches, and keeps it for `fillField` and `chooseOptions`. */
  findHit(point: Point & { isFinger: boolean }): Hit;
  /** Fills the field of the last hit, as a user does. */
  fillField(value: string): void;
  /** Chooses in the list of the last hit, as a user does: pages receive `input` and `change`. */
  chooseOptions(indexes: readonly number[]): void;
  /** Returns the selected text, in a field or in the page, except in password fields. */
  readSelection(): string;
  readFileOptions(field: PageObject): FileOptions;
  /** Keeps a part of a file, in base64, for `endFileChoice`. */
  addFilePart(field: PageObject, part: { name: string; mimeType: string; part: string; isLast: boolean }): void;
  /** Sets the kept files or cancels the choice; the page receives the same events as from a user. */
  endFileChoice(field: PageObject, isChosen: boolean): void;

  /**
   * Returns a tab's session storage as the JSON of its keys and values: the protocol's own values lose halves of
   * surrogate pairs. @throws Error in a document of another origin
   */
  readSessionStorage(origin: string): string;
  /**
   * Returns the JSON of an `OriginState`, and in `leftOut` how many records and databases it is without: those beyond 20 MB, and
   * those that cannot be restored (non-extractable keys). @throws as above
   */
  readStorage(origin: string): Promise<string>;
  /** Restores an origin's state. Returns the number of databases that could not be written. @throws as above */
  writeStorage(state: OriginState): Promise<number>;
  /** Adds the stored keys that are missing; runs in every frame before the page's own scripts. */
  restoreStorage(states: readonly Pick<OriginState, "origin" | "localStorage" | "sessionStorage">[]): void;
}

declare const signature: unique symbol;

/** Source of a function that runs in a page: an expression without free names. */
export type PageFunction<Values extends readonly unknown[], Result> = string & {
  readonly [signature]?: (...values: Values) => Result;
};

/** The functions as text. */
export type PageFunctionTexts = {
  readonly [Name in keyof PageFunctions]: PageFunction<
    Parameters<PageFunctions[Name]>,
    Awaited<ReturnType<PageFunctions[Name]>>
  >;
};
