declare global {
  /** In the isolated world of the document. */
  var quietMs: (() => number) | undefined;
}

export function quietMs(): number {
  return (globalThis.quietMs ??= observeQuiet())();
}

function observeQuiet(): () => number {
  let changedAt = performance.now();
  const note = (): void => {
    changedAt = performance.now();
  };
  const observer = new MutationObserver(note);
  observer.observe(document, { subtree: true, childList: true, characterData: true });
  return () => {
    if (observer.takeRecords().length > 0) note();
    return performance.now() - changedAt;
  };
}
