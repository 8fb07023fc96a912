import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { keys, signOut } from "./api/keys.ts";
import { Icon } from "./parts/icon.tsx";
import { Logo } from "./parts/logo.tsx";
import { EmptyState, Loading } from "./parts/notices.tsx";
import { SignIn } from "./parts/sign-in.tsx";
import { useStore } from "./parts/store.ts";
import { ThemeSwitch } from "./parts/theme-switch.tsx";
import { useRoute } from "./router.ts";
import { hrefOf } from "./routes.ts";
import type { Route } from "./routes.ts";
import { VIEWS } from "./views.ts";

/** The dashboard: the sign-in form, or the navigation and one view. */
export function App() {
  const signedIn = useStore(keys);
  return signedIn === undefined ? <SignIn /> : <Shell />;
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
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => main.current?.querySelector("h1")?.focus()}>
        Skip to content
      </button>
      <header class="bar">
        <a href={hrefOf("playground")} class="bar-home" aria-label="Orbweaver home">
          <Logo />
        </a>
        <nav aria-label="Main" class="nav">
          {VIEWS.map(({ name, label, icon }) => (
            <a key={name} href={hrefOf(name)} class="nav-link" aria-current={route.view === name ? "page" : undefined}>
              <Icon name={icon} /> <span>{label}</span>
            </a>
          ))}
        </nav>
        <div class="bar-tools">
          <ThemeSwitch />
          <button type="button" class="button button-icon" aria-label="Sign out" title="Sign out" onClick={signOut}>
            <Icon name="leave" />
          </button>
        </div>
      </header>
      <main ref={main} class="main">
        <View route={route} />
      </main>
    </div>
  );
}

/** Loads a view when it is first opened. */
function View({ route }: { route: Route }) {
  const [loaded, setLoaded] = useState<{ name: string; Content: ComponentType<{ route: Route }> }>();
  const view = VIEWS.find(({ name }) => name === route.view);
  useEffect(() => {
    let isWanted = true;
    void view?.load().then((Content) => {
      if (isWanted) setLoaded({ name: view.name, Content });
    });
    return () => {
      isWanted = false;
    };
  }, [view]);
  if (view === undefined) {
    return (
      <EmptyState icon="warning" title="Page not found">
        <p>
          <a href={hrefOf("playground")}>Go to the playground</a>
        </p>
      </EmptyState>
    );
  }
  if (loaded?.name !== view.name) return <Loading what={view.label.toLowerCase()} />;
  return <loaded.Content route={route} />;
}
