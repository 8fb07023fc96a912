/** Shows the first control of a form that is invalid or empty although required: opens what hides it, and focuses it. */
export function revealProblem(form: HTMLElement): void {
  const place = form.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid]');
  if (place === null) return;
  for (let outer = place.parentElement; outer !== null && outer !== form; outer = outer.parentElement) {
    if (outer instanceof HTMLDetailsElement) outer.open = true;
  }
  const control = place.matches(CONTROLS) ? place : place.querySelector<HTMLElement>(CONTROLS);
  control?.focus();
}

const CONTROLS = "input, select, textarea, button, [data-editor]";
