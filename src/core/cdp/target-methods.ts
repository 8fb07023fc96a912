import type { PlainMethods } from "./plain-methods.ts";

/** The browser and its targets. */
export const TARGET_METHODS = {
  "Browser.cancelDownload": { string: "guid browserContextId?" },
  "Browser.getVersion": {},
  "Browser.getWindowBounds": { number: "windowId" },
  "Browser.getWindowForTarget": { string: "targetId?" },
  "Browser.resetPermissions": { string: "browserContextId?" },
  "Browser.setContentsSize": { number: "windowId width? height?" },
  "Browser.setWindowBounds": { number: "windowId", object: "bounds" },
  "Target.activateTarget": { string: "targetId" },
  "Target.attachToBrowserTarget": {},
  "Target.closeTarget": { string: "targetId" },
  "Target.detachFromTarget": { string: "sessionId? targetId?" },
  "Target.disposeBrowserContext": { string: "browserContextId" },
  "Target.getBrowserContexts": {},
  "Target.getTargetInfo": { string: "targetId?" },
} satisfies PlainMethods;
