import { findSections, type DocEntry, type FoundSection } from "./find-sections.ts";

const NARROW = "(max-width: 60rem)";
/** Kept by the page: the index is loaded when the search field is first used. */
let entries: Promise<DocEntry[]> | undefined;

async function loadEntries(): Promise<DocEntry[]> {
  const response = await fetch("/docs/search.json");
  if (!response.ok) throw new Error(`The search index answered ${response.status}`);
  return (await response.json()) as DocEntry[];
}

function resultItem({ entry, excerpt }: FoundSection): HTMLLIElement {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = `/docs/${entry.name}#${entry.anchor}`;
  link.textContent = entry.heading === entry.title ? entry.title : `${entry.title}: ${entry.heading}`;
  const text = document.createElement("p");
  text.textContent = excerpt;
  item.append(link, text);
  return item;
}

function showResults(query: string, found: readonly FoundSection[]): void {
  const results = document.querySelector<HTMLElement>("#results");
  const article = document.querySelector<HTMLElement>("article");
  if (results === null || article === null) return;
  const isSearching = query.trim() !== "";
  results.hidden = !isSearching;
  article.hidden = isSearching;
  const heading = document.createElement("h1");
  heading.textContent = found.length === 0 ? `No results for “${query}”` : `Results for “${query}”`;
  const list = document.createElement("ul");
  list.append(...found.map(resultItem));
  results.replaceChildren(heading, list);
}

async function search(field: HTMLInputElement): Promise<void> {
  const query = field.value;
  entries ??= loadEntries();
  try {
    const found = findSections(await entries, query);
    // A later keystroke has its own results.
    if (field.value === query) showResults(query, found);
  } catch {
    entries = undefined;
  }
}

const field = document.querySelector<HTMLInputElement>("#query");
if (field !== null) {
  field.addEventListener("input", () => void search(field));
  const asked = new URLSearchParams(location.search).get("q");
  if (asked !== null) {
    field.value = asked;
    void search(field);
  }
  // A link to a section of the page that is open leaves the results.
  document.querySelector("#results")?.addEventListener("click", (event) => {
    if (!(event.target instanceof HTMLAnchorElement)) return;
    field.value = "";
    showResults("", []);
  });
}
if (matchMedia(NARROW).matches) document.querySelector(".navigation")?.removeAttribute("open");
