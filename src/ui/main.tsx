import { render } from "preact";
import { App } from "./app.tsx";
import { takeKeysFromAddress } from "./api/keys.ts";
import { applyTheme } from "./parts/theme.ts";

applyTheme();
takeKeysFromAddress();
const place = document.querySelector("#app");
if (place !== null) render(<App />, place);
