/** Name of the isolated world of the recorder, and of the function that it calls. The page reaches neither. */
export const RECORDER_WORLD = "orbweaver-recorder";
export const RECORDER_BINDING = "orbweaverAction";

/**
 * Runs in the session's pages, in a world of its own: sends the actions of a person. The function is sent as text and
 * uses nothing outside of itself.
 */
function watchActions(binding: string): void {
  const send = (globalThis as unknown as Record<string, ((text: string) => void) | undefined>)[binding];
  if (send === undefined) return;
  const MAX_NAME = 80;
  const clean = (text: string | null | undefined): string => (text ?? "").replaceAll(/\s+/g, " ").trim();
  const takesText = (element: Element): boolean =>
    element instanceof HTMLTextAreaElement ||
    (element instanceof HTMLInputElement &&
      !/^(?:checkbox|radio|button|submit|reset|image|file|range|color)$/.test(element.type));
  const pathOf = (element: Element): string => {
    if (element.id !== "") return `#${CSS.escape(element.id)}`;
    const steps: string[] = [];
    for (let at: Element | null = element; at !== null && at !== document.documentElement; at = at.parentElement) {
      const { tagName, parentElement } = at;
      const alike = [...(parentElement?.children ?? [])].filter((other) => other.tagName === tagName);
      steps.unshift(
        alike.length > 1 ? `${tagName.toLowerCase()}:nth-of-type(${alike.indexOf(at) + 1})` : tagName.toLowerCase(),
      );
    }
    return steps.join(" > ");
  };
  const locate = (element: Element): object => {
    const testId = element.getAttribute("data-testid");
    if (testId !== null) return { by: "testId", text: testId };
    const label = clean(element.getAttribute("aria-label") ?? (element as HTMLInputElement).labels?.[0]?.textContent);
    if (/^(?:INPUT|SELECT|TEXTAREA)$/.test(element.tagName)) {
      const placeholder = element.getAttribute("placeholder") ?? "";
      if (label !== "" && label.length <= MAX_NAME) return { by: "label", text: label };
      if (placeholder !== "") return { by: "placeholder", text: placeholder };
      return { by: "css", text: pathOf(element) };
    }
    const role =
      element.getAttribute("role") ?? (element.tagName === "A" ? "link" : element.tagName === "BUTTON" ? "button" : "");
    const name = label === "" ? clean(element.textContent) : label;
    if (role !== "" && name !== "" && name.length <= MAX_NAME) return { by: "role", role, name };
    return { by: "css", text: pathOf(element) };
  };
  const post = (action: object): void => send(JSON.stringify(action));
  const filled = new WeakMap<Element, string>();
  const fill = (element: HTMLInputElement | HTMLTextAreaElement): void => {
    if (filled.get(element) === element.value) return;
    filled.set(element, element.value);
    const isSecret = element instanceof HTMLInputElement && element.type === "password";
    post({ kind: "fill", locator: locate(element), value: isSecret ? "" : element.value, isSecret });
  };
  const listen = (type: string, act: (element: Element, event: Event) => void): void =>
    document.addEventListener(
      type,
      (event) => {
        const [target] = event.composedPath();
        if (event.isTrusted && target instanceof Element) act(target, event);
      },
      { capture: true, passive: true },
    );
  listen("click", (target) => {
    const element = target.closest("a,button,summary,label,input,select,textarea,[role],[onclick]") ?? target;
    if (/^(?:SELECT|TEXTAREA|LABEL)$/.test(element.tagName)) return;
    if (element instanceof HTMLInputElement && (takesText(element) || /^(?:checkbox|radio)$/.test(element.type)))
      return;
    post({ kind: "click", locator: locate(element) });
  });
  listen("change", (target) => {
    if (target instanceof HTMLSelectElement) post({ kind: "select", locator: locate(target), value: target.value });
    else if (target instanceof HTMLInputElement && /^(?:checkbox|radio)$/.test(target.type))
      post({ kind: target.checked ? "check" : "uncheck", locator: locate(target) });
    else if (takesText(target)) fill(target as HTMLInputElement);
  });
  listen("keydown", (target, event) => {
    if ((event as KeyboardEvent).key !== "Enter" || !(target instanceof HTMLInputElement) || !takesText(target)) return;
    fill(target);
    post({ kind: "press", locator: locate(target), key: "Enter" });
  });
}

/** The script that the recorder adds to each document. */
export const ACTION_SCRIPT = `(${watchActions.toString()})(${JSON.stringify(RECORDER_BINDING)})`;
