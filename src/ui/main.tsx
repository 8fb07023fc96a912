import { render } from "preact";
import { App } from "./app.tsx";
import { adoptKeys, keys, signOut, takeKeysFromAddress } from "./api/keys.ts";
import { shareKeys } from "./api/share-keys.ts";
import { askOnce } from "./api/ask-once.ts";
import { guardLinks } from "./guard-links.ts";
import { addDefaultCommands } from "./commands/default-commands.ts";
import { applyTheme } from "./parts/theme.ts";
import { routeOf } from "./routes.ts";
import { VIEWS } from "./views.ts";

applyTheme();
guardLinks();
takeKeysFromAddress();
// The URL may also be opened in a tab that shows the dashboard already.
addEventListener("hashchange", takeKeysFromAddress);
shareKeys({ ...keys, adopt: adoptKeys, signOut });
addDefaultCommands();
openFirstView();
const place = document.querySelector("#app");
if (place !== null) {
  place.replaceChildren();
  render(<App />, place);
}

/** Begins to load the view and what it reads at the same time, not one after the other. Failures are shown in the view. */
function openFirstView(): void {
  if (keys.get() === undefined) return;
  const { view } = routeOf(location.hash);
  const reads = view === "playground" ? ["/openapi.json", "/v2/capabilities"] : [];
  const loads = [VIEWS.find(({ name }) => name === view)?.load(), ...reads.map((path) => askOnce(path))];
  for (const load of loads) load?.catch(() => undefined);
}
