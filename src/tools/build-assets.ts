import { buildPdfjs } from "./build-pdfjs.ts";
import { buildSandbox } from "./build-sandbox.ts";
import { buildUi, type UiBuild } from "./build-ui.ts";
import { buildXlsx } from "./build-xlsx.ts";

/**
 * Everything that is deployed beside the Worker, below `dist/ui`: the dashboard, and the programs of the sandbox. And the
 * copies of pdf.js and SheetJS that the Worker imports.
 */
export async function buildAssets(): Promise<UiBuild> {
  const ui = await buildUi();
  await buildSandbox();
  await Promise.all([buildPdfjs(), buildXlsx()]);
  return ui;
}
