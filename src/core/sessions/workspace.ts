/** One entry of a session's file system. */
export interface SavedFile {
  path: string;
  mode: number;
  content: { kind: "file"; bytes: Uint8Array } | { kind: "folder" } | { kind: "link"; target: string };
}

/** Locator by which another connection finds an element of a snapshot: by its properties, not its position. */
export interface ElementRef {
  role: string;
  name: string;
  /** Index among the elements with this role and name, in document order. */
  nth: number;
  /** True when `nth` counts hidden elements too, and those with this role whatever their names. */
  isExact?: boolean;
  /** Reference in the driver's snapshot, which only the connection that has taken it knows. */
  driverRef?: string;
  /** Indices of the enclosing frames, outermost first. */
  frames: number[];
}

/** State of `agent-browser` between runs. */
export interface BrowserState {
  refs: Record<string, ElementRef>;
  /** The active tab. */
  activeTargetId: string | undefined;
  /** Tabs in the order in which they were opened: a new connection lists them in another order. */
  tabs: string[];
}

/** State of a session's shell between runs. */
export interface Workspace {
  files: SavedFile[];
  browser: BrowserState;
}

/** The result of one command line, as a shell sees it. */
export interface CommandOutput {
  stdout: string;
  stderr: string;
  exitCode: number;
}

export const EMPTY_WORKSPACE: Workspace = { files: [], browser: { refs: {}, activeTargetId: undefined, tabs: [] } };
