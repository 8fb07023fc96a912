/** One entry of a session's file system. */
export interface SavedFile {
  path: string;
  mode: number;
  content: { kind: "file"; bytes: Uint8Array } | { kind: "folder" } | { kind: "link"; target: string };
}

/** How an element of a snapshot is found again over another connection: by what it is, not by where it was. */
export interface ElementRef {
  role: string;
  name: string;
  /** Which of those with this role and name, in the order of the document. */
  nth: number;
  /** Indices of the frames that it is in, from the outermost. */
  frames: number[];
}

/** What `agent-browser` remembers from one run to the next. */
export interface BrowserState {
  refs: Record<string, ElementRef>;
  /** The tab that is worked in. */
  activeTargetId: string | undefined;
  /** The tabs in the order in which they were opened: a new connection lists them in an order of its own. */
  tabs: string[];
}

/** What a session keeps of its shell between runs. */
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
