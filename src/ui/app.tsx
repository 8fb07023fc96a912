import { Fragment } from "preact";
import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { keys, signOut } from "./api/keys.ts";
import { SHARE_MS } from "./api/share-keys.ts";
import { KeyHint } from "./commands/key-hint.tsx";
import { shellDialog } from "./commands/palette-state.ts";
import { useShortcuts } from "./commands/use-shortcuts.ts";
import { Dialog } from "./parts/dialog.tsx";
import { Icon } from "./parts/icon.tsx";
import { Logo } from "./parts/logo.tsx";
import { SignIn } from "./parts/sign-in.tsx";
import { useStore } from "./parts/store.ts";
import { ThemeSwitch } from "./parts/theme-switch.tsx";
import { useRoute } from "./router.ts";
import { hrefOf } from "./routes.ts";
import { ViewPlace } from "./view-place.tsx";
import { VIEWS } from "./views.ts";
import type { ViewEntry } from "./views.ts";

/** Number of views in the navigation of a narrow screen; the others have the class `nav-extra`. */
const MAX_NARROW = 4;
/** Time in ms after which the script of the shell's dialogs is loaded, so that they open without a delay. */
const PRELOAD_MS = 1_500;

/** The dashboard: the sign-in form, or the navigation and one view. */
export function App() {
  const signedIn = useStore(keys);
  const [isWaiting, setWaiting] = useState(signedIn === undefined);
  useEffect(() => {
    // Another tab may send its keys first.
    const timer = setTimeout(() => setWaiting(false), SHARE_MS);
    return () => clearTimeout(timer);
  }, []);
  if (signedIn !== undefined) return <Shell />;
  return isWaiting ? <EmptyShell /> : <SignIn />;
}

/** The frame that `index.html` shows until the script has loaded. */
function EmptyShell() {
  return (
    <div class="shell">
      <header class="bar">
        <span class="bar-home">
          <Logo />
        </span>
      </header>
    </div>
  );
}

function Shell() {
  const route = useRoute();
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    // Moves focus to the heading of the new view for screen readers. The first view keeps the browser's focus.
    if (!isFirst.current) main.current?.querySelector("h1")?.focus({ preventScroll: true });
    isFirst.current = false;
    scrollTo(0, 0);
  }, [route.view, route.id]);
  useShortcuts();
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => main.current?.querySelector("h1")?.focus()}>
        Skip to content
      </button>
      <header class="bar">
        <a href={hrefOf("playground")} class="bar-home" aria-label="Orbweaver home">
          <Logo />
        </a>
        <button
          type="button"
          class="bar-find"
          aria-keyshortcuts="Control+K Meta+K"
          onClick={() => shellDialog.set("palette")}
        >
          <Icon name="search" /> <span class="bar-find-name">Search</span>
          <span class="bar-find-keys" aria-hidden="true">
            <KeyHint keys="mod+k" />
          </span>
        </button>
        <nav aria-label="Main" class="nav">
          <GroupedLinks current={route.view} />
          <MoreViews current={route.view} />
        </nav>
        <div class="bar-tools">
          <a class="nav-link bar-docs" href="/docs" target="_blank">
            <Icon name="docs" /> <span>Docs</span>
          </a>
          <ThemeSwitch />
          <button type="button" class="button button-icon" aria-label="Sign out" title="Sign out" onClick={signOut}>
            <Icon name="leave" />
          </button>
        </div>
      </header>
      <main ref={main} class="main">
        <ViewPlace route={route} />
      </main>
      <ShellDialogs />
    </div>
  );
}

/** The links to all views, with a heading above each group but the first. */
function GroupedLinks({ current }: { current: string }) {
  return VIEWS.map((view, at) => (
    <Fragment key={view.name}>
      {at > 0 && view.group !== VIEWS[at - 1]?.group && (
        <span class="nav-group" aria-hidden="true">
          {view.group}
        </span>
      )}
      <ViewLink view={view} isCurrent={current === view.name} isExtra={at >= MAX_NARROW} />
    </Fragment>
  ));
}

function ViewLink(about: { view: ViewEntry; isCurrent: boolean; isExtra?: boolean; done?: () => void }) {
  const { view, isCurrent, isExtra = false, done } = about;
  return (
    <a
      href={hrefOf(view.name)}
      class={isExtra ? "nav-link nav-extra" : "nav-link"}
      aria-current={isCurrent ? "page" : undefined}
      onClick={done}
    >
      <Icon name={view.icon} /> <span>{view.label}</span>
    </a>
  );
}

/** The button of narrow screens that lists the views without a place in the navigation. */
function MoreViews({ current }: { current: string }) {
  const [isOpen, setOpen] = useState(false);
  const views = VIEWS.slice(MAX_NARROW);
  const isHere = views.some(({ name }) => name === current);
  return (
    <>
      <button
        type="button"
        class="nav-link nav-more"
        aria-haspopup="dialog"
        aria-current={isHere ? "true" : undefined}
        onClick={() => setOpen(true)}
      >
        <Icon name="more" /> <span>More</span>
      </button>
      {isOpen && (
        <Dialog title="More views" close={() => setOpen(false)}>
          <div class="more-links">
            {views.map((view) => (
              <ViewLink key={view.name} view={view} isCurrent={current === view.name} done={() => setOpen(false)} />
            ))}
          </div>
        </Dialog>
      )}
    </>
  );
}

/** The command palette or the list of shortcuts. Their script is loaded after the first view. */
function ShellDialogs() {
  const wanted = useStore(shellDialog);
  const [dialogs, setDialogs] = useState<Record<"palette" | "shortcuts", ComponentType<{ close: () => void }>>>();
  const load = (): void => {
    import("./commands/dialogs.ts").then(
      ({ CommandPalette, ShortcutList }) => setDialogs({ palette: CommandPalette, shortcuts: ShortcutList }),
      // Loaded again when one is next opened.
      () => shellDialog.set(undefined),
    );
  };
  useEffect(() => {
    const timer = setTimeout(load, PRELOAD_MS);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    if (wanted !== undefined && dialogs === undefined) load();
  }, [wanted]);
  const Shown = wanted === undefined ? undefined : dialogs?.[wanted];
  return Shown === undefined ? null : <Shown close={() => shellDialog.set(undefined)} />;
}
