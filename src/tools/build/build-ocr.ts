import { copyFile, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { OCR_LANGUAGES } from "../../core/ocr/guess-language.ts";
import { PROJECT_ROOT } from "../service/wrangler.ts";
import { filesBelow, fingerprintOf } from "./fingerprint.ts";
import { withEsbuild } from "./with-esbuild.ts";

const MODULES = join(PROJECT_ROOT, "node_modules");
const SOURCE = join(PROJECT_ROOT, "src/page-scripts/ocr");
const RULES = join(PROJECT_ROOT, "src/core/ocr");
const OUTPUT = join(PROJECT_ROOT, "dist", "ui", "ocr");
const RECORD = join(PROJECT_ROOT, "dist", "ocr.txt");

/** The folders that the build reads. */
export const OCR_SOURCES: readonly string[] = [SOURCE, RULES];

const FONTS = [
  "FoxitDingbats.pfb", "FoxitFixed.pfb", "FoxitFixedBold.pfb", "FoxitFixedBoldItalic.pfb", "FoxitFixedItalic.pfb",
  "FoxitSerif.pfb", "FoxitSerifBold.pfb", "FoxitSerifBoldItalic.pfb", "FoxitSerifItalic.pfb", "FoxitSymbol.pfb",
  "LiberationSans-Bold.ttf", "LiberationSans-BoldItalic.ttf", "LiberationSans-Italic.ttf", "LiberationSans-Regular.ttf",
]; // prettier-ignore

/** Files of dependencies by their names among the assets. */
const COPIES: Record<string, string> = {
  "tesseract.js": "tesseract.js-core/tesseract-core-simd-lstm.js",
  "tesseract.wasm": "tesseract.js-core/tesseract-core-simd-lstm.wasm",
  "pdf-worker.mjs": "pdfjs-dist/build/pdf.worker.min.mjs",
  ...Object.fromEntries(
    ["jbig2.wasm", "openjpeg.wasm", "openjpeg_nowasm_fallback.js", "qcms_bg.wasm"].map((name) => [
      name,
      `pdfjs-dist/wasm/${name}`,
    ]),
  ),
  ...Object.fromEntries(FONTS.map((name) => [name, `pdfjs-dist/standard_fonts/${name}`])),
  ...Object.fromEntries(
    OCR_LANGUAGES.map((language) => [
      `${language}.traineddata.gz`,
      `@tesseract.js-data/${language}/4.0.0_best_int/${language}.traineddata.gz`,
    ]),
  ),
};

/**
 * Writes the page that recognises text to `dist/ui/ocr`: its program, pdf.js, Tesseract and the data of its languages. Only the
 * Worker loads these assets. Does nothing when neither their sources nor the dependencies have changed.
 */
export async function buildOcr(): Promise<void> {
  const fingerprint = await currentFingerprint();
  if ((await readFile(RECORD, "utf8").catch(() => "")) === fingerprint && (await isComplete())) return;
  const draft = `${OUTPUT}.${process.pid}`;
  try {
    await mkdir(draft, { recursive: true });
    await Promise.all(
      Object.entries(COPIES).map(([name, source]) => copyFile(join(MODULES, source), join(draft, name))),
    );
    await writeFile(join(draft, "main.js"), await program());
    await mkdir(dirname(OUTPUT), { recursive: true });
    await rm(OUTPUT, { recursive: true, force: true });
    await rename(draft, OUTPUT);
    await writeFile(RECORD, fingerprint);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function currentFingerprint(): Promise<string> {
  const sources = await Promise.all(OCR_SOURCES.map(filesBelow));
  return await fingerprintOf([...sources.flat(), join(PROJECT_ROOT, "package-lock.json"), import.meta.filename]);
}

/** The folder goes away when the dashboard beside it is built. */
async function isComplete(): Promise<boolean> {
  try {
    await Promise.all(["main.js", ...Object.keys(COPIES)].map((name) => stat(join(OUTPUT, name))));
    return true;
  } catch {
    return false;
  }
}

async function program(): Promise<string> {
  const { outputFiles } = await withEsbuild(({ build }) =>
    build({
      absWorkingDir: PROJECT_ROOT,
      entryPoints: [join(SOURCE, "main.ts")],
      bundle: true,
      write: false,
      minify: true,
      format: "esm",
      platform: "browser",
      target: "es2024",
      legalComments: "none",
      logLevel: "error",
    }),
  );
  return outputFiles[0]?.text ?? "";
}
