import { byId } from "../page/by-id.ts";
import { WANTS_TO_DRIVE } from "../page/page-url.ts";
import { badge, hint, say } from "./notices.ts";

let hasControl = false;

/** True when this viewer controls the session. */
export function isDriving(): boolean {
  return hasControl;
}

/** Shows the controls that the viewer's token allows. */
export function setControl(mayDrive: boolean): void {
  hasControl = mayDrive && WANTS_TO_DRIVE;
  document.body.classList.toggle("driving", hasControl);
  for (const element of document.querySelectorAll<HTMLElement>(".drives")) element.hidden = !hasControl;
  byId("new").hidden = !hasControl;
  byId("address", HTMLInputElement).readOnly = !hasControl;
  byId("keys").tabIndex = hasControl ? 0 : -1;
  badge("good", hasControl ? "In control" : "View only");
  say(hasControl ? "Connected. You control the session." : "Connected. View only.");
  if (WANTS_TO_DRIVE && !mayDrive) hint("This link is view-only.");
}
