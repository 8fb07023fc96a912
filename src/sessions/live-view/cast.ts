/** A tab of the session's browser. */
export interface Tab {
  id: string;
  title: string;
  url: string;
}

/** The known state of a session's browser, and the viewers that receive its picture. */
export interface CastState {
  /** In the order in which they were opened. */
  tabs: readonly Tab[];
  /** The tab that is shown: the one opened or selected last. */
  shown: string | undefined;
  /** Tabs that were shown before, the latest last: where the picture goes when the shown tab closes. */
  shownBefore: readonly string[];
  isLoading: boolean;
  viewers: number;
  isRecording: boolean;
  /** The tab whose screencast runs. */
  casting: string | undefined;
}

export type CastEvent =
  | { kind: "tab_opened"; tab: Tab }
  | { kind: "tab_changed"; tab: Tab }
  | { kind: "tab_closed"; id: string }
  | { kind: "tab_selected"; id: string }
  | { kind: "loading"; isLoading: boolean }
  | { kind: "audience"; viewers: number; isRecording: boolean }
  /** The screencast ended without having been asked to: its page crashed or was replaced. */
  | { kind: "cast_lost"; id: string };

export type CastEffect =
  | { kind: "start"; id: string }
  | { kind: "stop"; id: string }
  /** Tabs, address or loading state changed: viewers must be notified. */
  | { kind: "tell" };

export const IDLE_CAST: CastState = {
  tabs: [],
  shown: undefined,
  shownBefore: [],
  isLoading: false,
  viewers: 0,
  isRecording: false,
  casting: undefined,
};

/** One step of the cast. At most one screencast runs, of the shown tab, and none when nobody watches or records. */
export function stepCast(state: CastState, event: CastEvent): { state: CastState; effects: CastEffect[] } {
  const changed = apply(state, event);
  const wanted = changed.viewers > 0 || changed.isRecording ? changed.shown : undefined;
  const effects: CastEffect[] = [];
  if (changed.casting !== wanted) {
    if (changed.casting !== undefined && has(changed, changed.casting))
      effects.push({ kind: "stop", id: changed.casting });
    if (wanted !== undefined) effects.push({ kind: "start", id: wanted });
  }
  const isNews = changed.tabs !== state.tabs || changed.shown !== state.shown || changed.isLoading !== state.isLoading;
  if (isNews) effects.push({ kind: "tell" });
  return { state: { ...changed, casting: wanted }, effects };
}

function apply(state: CastState, event: CastEvent): CastState {
  switch (event.kind) {
    case "tab_opened":
      if (has(state, event.tab.id)) return apply(state, { kind: "tab_changed", tab: event.tab });
      return show({ ...state, tabs: [...state.tabs, event.tab] }, event.tab.id);
    case "tab_changed":
      return change(state, event.tab);
    case "tab_closed":
      return close(state, event.id);
    case "tab_selected":
      return has(state, event.id) ? show(state, event.id) : state;
    case "loading":
      return state.isLoading === event.isLoading ? state : { ...state, isLoading: event.isLoading };
    case "audience":
      return { ...state, viewers: event.viewers, isRecording: event.isRecording };
    case "cast_lost":
      return state.casting === event.id ? { ...state, casting: undefined } : state;
  }
}

function change(state: CastState, tab: Tab): CastState {
  const before = state.tabs.find(({ id }) => id === tab.id);
  if (before === undefined || (before.title === tab.title && before.url === tab.url)) return state;
  return { ...state, tabs: state.tabs.map((other) => (other.id === tab.id ? tab : other)) };
}

function close(state: CastState, id: string): CastState {
  if (!has(state, id)) return state;
  const tabs = state.tabs.filter((tab) => tab.id !== id);
  const shownBefore = state.shownBefore.filter((before) => before !== id);
  const casting = state.casting === id ? undefined : state.casting;
  if (state.shown !== id) return { ...state, tabs, shownBefore, casting };
  const shown = shownBefore.at(-1) ?? tabs.at(-1)?.id;
  return { ...state, tabs, casting, shown, shownBefore: shownBefore.slice(0, -1), isLoading: false };
}

function show(state: CastState, id: string): CastState {
  if (state.shown === id) return state;
  const shownBefore = [...state.shownBefore, ...(state.shown === undefined ? [] : [state.shown])].filter(
    (before) => before !== id,
  );
  return { ...state, shown: id, shownBefore, isLoading: false };
}

function has({ tabs }: CastState, id: string): boolean {
  return tabs.some((tab) => tab.id === id);
}
