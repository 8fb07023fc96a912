import { render } from "preact";
import { App } from "./app.tsx";
import { adoptKeys, keys, signOut, takeKeysFromAddress } from "./api/keys.ts";
import { shareKeys } from "./api/share-keys.ts";
import { addDefaultCommands } from "./commands/default-commands.ts";
import { applyTheme } from "./parts/theme.ts";

applyTheme();
takeKeysFromAddress();
// The URL may also be opened in a tab that shows the dashboard already.
addEventListener("hashchange", takeKeysFromAddress);
shareKeys({ ...keys, adopt: adoptKeys, signOut });
addDefaultCommands();
const place = document.querySelector("#app");
if (place !== null) render(<App />, place);
