import { buildConverter } from "./build-converter.ts";
import { buildOcr } from "./build-ocr.ts";
import { buildPageScripts } from "./build-page-scripts.ts";
import { buildPdfjs } from "./build-pdfjs.ts";
import { buildSandbox } from "./build-sandbox.ts";
import { buildUi, type UiBuild } from "./build-ui.ts";
import { buildXlsx } from "./build-xlsx.ts";

/**
 * Builds the scripts that the Worker sends to browsers, the counted copies of pdf.js and SheetJS that the Worker and the
 * sandbox import, the hash of the converter, and everything that is deployed beside the Worker, below `dist/ui`: the dashboard, the documentation
 * the programs of the sandbox and the page that recognises text.
 */
export async function buildAssets(): Promise<UiBuild> {
  const [ui] = await Promise.all([buildUi(), buildPageScripts(), buildPdfjs(), buildXlsx(), buildConverter()]);
  // The sandbox's page reader imports both copies; the dashboard's build empties the folder of both.
  await Promise.all([buildSandbox(), buildOcr()]);
  return ui;
}
