import type { ViewerMode } from "../../ports/sessions/live-view.ts";
import type { Tab } from "./cast.ts";

/** A dialog that a page opened and that blocks the page. */
export interface PageDialog {
  kind: "alert" | "confirm" | "prompt" | "beforeunload";
  message: string;
  defaultText: string;
}

/** The options of the page's file chooser. */
export interface FileOptions {
  isMultiple: boolean;
  /** Value of the page's `accept` attribute. */
  accept: string;
}

/** A field with a picker: date, time or colour. */
export interface Field {
  label: string;
  kind: "date" | "datetime-local" | "month" | "week" | "time" | "color";
  value: string;
  min: string;
  max: string;
  step: string;
}

/** A drop-down list. */
export interface Choices {
  label: string;
  isMultiple: boolean;
  options: { label: string; group: string; isSelected: boolean; isDisabled: boolean }[];
}

/** Tabs, address, loading state and open dialogs of the session's browser. */
export interface ViewState {
  type: "state";
  tabs: readonly Tab[];
  /** Id of the shown tab. */
  shown: string | undefined;
  isLoading: boolean;
  dialog: PageDialog | undefined;
  chooser: FileOptions | undefined;
}

/** Position and shape of the driver's pointer; coordinates are shares of the picture's sides. */
export interface PointerMessage {
  type: "pointer";
  x: number;
  y: number;
  /** A value of the CSS property `cursor`. */
  cursor: string;
  /** True for the driver's own pointer. */
  isOwn: boolean;
}

/** The response to a driver's command. */
export type DriveResponse =
  | { type: "clipboard"; text: string }
  | { type: "choices"; choices: Choices }
  | { type: "field"; field: Field }
  | { type: "notice"; text: string };

/** A message from the live view to the page of a viewer. */
export type ViewMessage =
  | { type: "hello"; mode: ViewerMode }
  | ViewState
  | { type: "ended" }
  | { type: "refused" }
  | { type: "pong" }
  | PointerMessage
  | DriveResponse;

/** Application close codes of a viewer's WebSocket (RFC 6455 § 7.4.2). */
export const VIEW_CLOSE = { ended: 4001, notShown: 4003, tooMany: 4008 } as const;
