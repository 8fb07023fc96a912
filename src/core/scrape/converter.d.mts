/**
 * Hash of the sources that derive documents from loaded pages, of their models and of the versions of their libraries.
 * Of two versions of the service with the same hash, both derive the same document from a page.
 */
export const converterHash: string;
