/** The functions of `PageFunctions`. Each is built on its own: state that two of them share stands in the page. */
export { forbidSockets } from "./loading/forbid-sockets.ts";
export { beforePage } from "./loading/before-page.ts";
export { beforeWorker } from "./loading/before-worker.ts";
export { quietMs } from "./loading/quiet-ms.ts";
export { readProgress } from "./loading/read-progress.ts";
export { readHtml } from "./document/read-html.ts";
export { canLoadMore, readItems, scrollList, showItems } from "./document/list-items.ts";
export { scrollElement, scrollOneScreen, scrollPage, scrollThrough } from "./document/scroll.ts";
export { readStyles } from "./styles/read-styles.ts";
export { clickPoint } from "./elements/click-point.ts";
export { describeValue } from "./elements/describe-value.ts";
export { click, firstMatch, hasFocus, hasMatch, storedMatch, storeMatches } from "./elements/matches.ts";
export { chooseOptions, fillField, findHit } from "./picture-controls/find-hit.ts";
export { addFilePart, endFileChoice, readFileOptions } from "./picture-controls/file-choice.ts";
export { readSelection } from "./picture-controls/read-selection.ts";
export { readSessionStorage, readStorage } from "./storage/read-storage.ts";
export { restoreStorage } from "./storage/restore-storage.ts";
export { writeStorage } from "./storage/write-storage.ts";
