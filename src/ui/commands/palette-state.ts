import { createStore } from "../parts/store.ts";

/** The dialog of the shell that is open. */
export const shellDialog = createStore<"palette" | "shortcuts" | undefined>(undefined);
