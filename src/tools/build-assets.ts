import { buildSandbox } from "./build-sandbox.ts";
import { buildUi, type UiBuild } from "./build-ui.ts";

/** Everything that is deployed beside the Worker, below `dist/ui`: the dashboard, and the programs of the sandbox. */
export async function buildAssets(): Promise<UiBuild> {
  const ui = await buildUi();
  await buildSandbox();
  return ui;
}
