import { signOut } from "../api/keys.ts";
import { chooseTheme } from "../parts/theme.ts";
import { requestLink } from "../playground/request/request-link.ts";
import { goTo } from "../router.ts";
import { hrefOf } from "../routes.ts";
import { VIEWS } from "../views.ts";
import { findSections } from "../docs/find-sections.ts";
import type { DocEntry } from "../docs/find-sections.ts";
import { addCommandFinder, addCommands, registry } from "./commands.ts";
import type { Command } from "./commands.ts";
import { shellDialog } from "./palette-state.ts";

const GO = "Go to";
const START = "Start";
const SETTINGS = "Dashboard";
/** Shortest text for which guides are searched, and the sections that are listed. */
const MIN_SEARCHED = 3;
const MAX_GUIDES = 5;
let guides: readonly DocEntry[] = [];
let guidesLoading: Promise<void> | undefined;

/** Adds the commands that are available in every view. */
export function addDefaultCommands(): void {
  addCommands([
    ...VIEWS.map(({ name, label, icon, keys }): Command => {
      const shortcut = keys === undefined ? {} : { keys };
      return { id: `go-${name}`, title: label, section: GO, icon, ...shortcut, run: () => goTo(hrefOf(name)) };
    }),
    {
      id: "docs",
      title: "API reference and guides",
      section: GO,
      words: "documentation help",
      icon: "docs",
      run: openDocs,
    },
    {
      id: "new-scrape",
      title: "Scrape a page",
      section: START,
      icon: "playground",
      run: () => openOperation("post /v2/scrape"),
    },
    {
      id: "new-map",
      title: "Map a site",
      section: START,
      icon: "playground",
      words: "sitemap links",
      run: () => openOperation("post /v2/map"),
    },
    {
      id: "new-crawl",
      title: "Crawl a site",
      section: START,
      icon: "crawls",
      run: () => openOperation("post /v2/crawl"),
    },
    {
      id: "new-monitor",
      title: "Create monitor",
      section: START,
      icon: "monitors",
      words: "watch changes",
      run: () => goTo(hrefOf("monitors", "new")),
    },
    {
      id: "test-webhook",
      title: "Test a webhook endpoint",
      section: START,
      icon: "webhooks",
      words: "signature event",
      run: () => goTo(hrefOf("webhooks", "test")),
    },
    {
      id: "new-session",
      title: "Create session",
      section: START,
      icon: "sessions",
      words: "browser",
      run: () => goTo(hrefOf("sessions", undefined, { new: "" })),
    },
    {
      id: "save-login",
      title: "Save a login as a profile",
      section: START,
      words: "browser session cookies",
      icon: "keys",
      run: () => goTo(hrefOf("sessions", undefined, { login: "" })),
    },
    {
      id: "palette",
      title: "Open command palette",
      section: SETTINGS,
      icon: "search",
      keys: "mod+k",
      run: () => shellDialog.set("palette"),
    },
    {
      id: "shortcuts",
      title: "Show keyboard shortcuts",
      section: SETTINGS,
      icon: "keyboard",
      keys: "?",
      run: () => shellDialog.set("shortcuts"),
    },
    {
      id: "focus-filter",
      title: "Go to the first search field of the view",
      section: SETTINGS,
      icon: "search",
      keys: "/",
      run: focusSearch,
    },
    {
      id: "theme-light",
      title: "Use light theme",
      section: SETTINGS,
      icon: "sun",
      words: "color",
      run: () => chooseTheme("light"),
    },
    {
      id: "theme-dark",
      title: "Use dark theme",
      section: SETTINGS,
      icon: "moon",
      words: "color",
      run: () => chooseTheme("dark"),
    },
    {
      id: "theme-system",
      title: "Use system theme",
      section: SETTINGS,
      icon: "system",
      words: "color",
      run: () => chooseTheme("system"),
    },
    { id: "sign-out", title: "Sign out", section: SETTINGS, icon: "leave", run: signOut },
  ]);
  addCommandFinder(commandsForUrl);
  addCommandFinder(commandsForGuides);
}

/** Returns the commands for a text that is a URL. */
export function commandsForUrl(text: string): Command[] {
  if (!/^https?:\/\/\S+$/i.test(text) || !URL.canParse(text)) return [];
  return [
    {
      id: "url-scrape",
      title: `Scrape ${text}`,
      section: "URL",
      icon: "playground",
      run: () => openOperation("post /v2/scrape", text),
    },
    {
      id: "url-map",
      title: `Map ${text}`,
      section: "URL",
      icon: "playground",
      run: () => openOperation("post /v2/map", text),
    },
    {
      id: "url-crawl",
      title: `Crawl ${text}`,
      section: "URL",
      icon: "crawls",
      run: () => openOperation("post /v2/crawl", text),
    },
    {
      id: "url-monitor",
      title: `Monitor ${text}`,
      section: "URL",
      icon: "monitors",
      run: () => goTo(hrefOf("monitors", "new", { url: text })),
    },
  ];
}

/** Returns the sections of the guides that have all words of a text, and a search for all of them. */
function commandsForGuides(text: string): Command[] {
  if (text.length < MIN_SEARCHED || URL.canParse(text)) return [];
  loadGuides();
  return findSections(guides, text)
    .slice(0, MAX_GUIDES)
    .map(({ entry: { name, anchor, title, heading } }): Command => ({
      id: `guide-${name}-${anchor}`,
      title: heading === title ? title : `${title}: ${heading}`,
      section: "Guides",
      icon: "docs",
      run: () => void open(`/docs/${name}#${anchor}`, "_blank", "noopener"),
    }));
}

/** Loads the search index of the guides, for the next change of the text. Loads it again after a failure. */
function loadGuides(): void {
  guidesLoading ??= fetch("/docs/search.json")
    .then(async (response) => {
      if (!response.ok) throw new Error(`The search index answered ${response.status}`);
      guides = (await response.json()) as DocEntry[];
      // The palette reads the finders again.
      registry.set({ ...registry.get() });
    })
    .catch(() => {
      guidesLoading = undefined;
    });
}

/** Opens the playground with an endpoint and, if given, a URL. */
function openOperation(operation: string, url?: string): void {
  goTo(
    url === undefined ? hrefOf("playground", undefined, { op: operation }) : requestLink({ operation, body: { url } }),
  );
}

function openDocs(): void {
  open("/docs", "_blank", "noopener");
}

function focusSearch(): void {
  document.querySelector<HTMLElement>("main input[type=search], main [role=searchbox]")?.focus();
}
