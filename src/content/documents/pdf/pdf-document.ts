import type { getDocument } from "#pdfjs";

/** A PDF as pdf.js has opened it, and one of its pages. */
export type PdfDocument = Awaited<ReturnType<typeof getDocument>["promise"]>;
export type PdfPage = Awaited<ReturnType<PdfDocument["getPage"]>>;
