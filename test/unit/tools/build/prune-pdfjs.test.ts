import { expect, test } from "vitest";
import { prunePdfjs } from "../../../../src/tools/build/prune-pdfjs.ts";

const SOURCE = `var rs=class AnnotationEditor{paint(){}},Os=class CanvasGraphics{paint(){}},PDFEditor=class{paint(){}};
var PDFImage=class{paint(){}},nr=class PsWasmCompiler{paint(){}},no=class XFAFactory{paint(){}},read=1;
var Reader=class extends rs{read(){return "text"}};
globalThis._pdfjsTestingUtils={},globalThis.pdfjsLib={Os};export{Reader};`;

test("classes that are never called lose their bodies, and definitions are marked as free of effects", () => {
  const pruned = prunePdfjs(SOURCE);
  expect(pruned).not.toContain("paint");
  expect(pruned).not.toContain("globalThis");
  expect(pruned).toContain(`Reader=/*#__PURE__*/(()=>class extends rs{read(){return "text"}})()`);
  expect(pruned).toContain("Os=/*#__PURE__*/(()=>class CanvasGraphics{})()");
  expect(pruned).toContain("read=1");
});

test("a pdf.js without a part that is to be removed is refused by the name of that part", () => {
  expect(() => prunePdfjs(SOURCE.replace("CanvasGraphics", "Painter"))).toThrow("CanvasGraphics");
  expect(() => prunePdfjs(SOURCE.replace("globalThis.pdfjsLib", "globalThis.pdf"))).toThrow("globals");
});
