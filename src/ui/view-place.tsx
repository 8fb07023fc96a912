import { Component } from "preact";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ApiError } from "./api/client.ts";
import { toApiError } from "./api/use-loaded.ts";
import { loadView } from "./load-view.ts";
import type { View } from "./load-view.ts";
import { EmptyState, ErrorNotice, Loading } from "./parts/notices.tsx";
import { PageHead } from "./parts/page-head.tsx";
import { hrefOf } from "./routes.ts";
import type { Route } from "./routes.ts";
import { VIEWS } from "./views.ts";

interface Loaded {
  name: string;
  Content?: View;
  error?: ApiError;
}

/** The view of a route. Its script is loaded when it is first opened; a failure is shown and can be tried again. */
export function ViewPlace({ route }: { route: Route }) {
  const [loaded, setLoaded] = useState<Loaded>();
  const [tries, setTries] = useState(0);
  const view = VIEWS.find(({ name }) => name === route.view);
  const isFailed = loaded?.error !== undefined && loaded.name === view?.name;
  useEffect(() => {
    if (view === undefined) return undefined;
    let isWanted = true;
    const show = (next: Omit<Loaded, "name">): void => {
      if (isWanted) setLoaded({ name: view.name, ...next });
    };
    loadView(view, isFailed, (Content) => show({ Content })).then(
      (Content) => show({ Content }),
      (failure: unknown) => show({ error: toApiError(failure) }),
    );
    return () => {
      isWanted = false;
    };
  }, [view, tries]);
  const retry = (): void => {
    setTries((count) => count + 1);
  };
  useEffect(() => {
    if (!isFailed) return undefined;
    addEventListener("online", retry);
    return () => removeEventListener("online", retry);
  }, [isFailed]);

  if (view === undefined) {
    return (
      <>
        <PageHead title="Page not found" />
        <EmptyState icon="warning" title="This address has no view">
          <p>
            <a href={hrefOf("playground")}>Go to the playground</a>
          </p>
        </EmptyState>
      </>
    );
  }
  if (loaded === undefined || loaded.name !== view.name) return <Loading what={view.label.toLowerCase()} />;
  const { Content, error } = loaded;
  if (Content === undefined) return error === undefined ? null : <Failed error={error} retry={retry} />;
  return (
    <ViewBoundary key={view.name}>
      <Content route={route} />
    </ViewBoundary>
  );
}

function Failed({ error, retry }: { error: ApiError; retry: () => void }) {
  return (
    <>
      <PageHead title="Loading failed" />
      <ErrorNotice error={error} retry={retry} />
    </>
  );
}

/** Shows an error of the program of a view in its place, with the navigation around it. */
class ViewBoundary extends Component<{ children: ComponentChildren }, { failure: unknown }> {
  override state = { failure: undefined as unknown };

  override componentDidCatch(failure: unknown): void {
    console.error(failure);
    this.setState({ failure });
  }

  override render() {
    const { failure } = this.state;
    if (failure === undefined) return this.props.children;
    const reset = (): void => this.setState({ failure: undefined });
    return <Failed error={toApiError(failure)} retry={reset} />;
  }
}
