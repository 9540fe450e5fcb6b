import { useEffect } from 'react';

/**
 * What was typed into a form and not saved, so that a reload or a new sign-in does not lose it: kept in this tab's
 * sessionStorage until it is saved, and for whoever typed it alone (app/session.ts). Never use it for a form that has a secret in it.
 */
export function useDraft<Values>(
  name: string,
  values: Values,
  isDirty: boolean,
  restore: (values: Values) => void,
): void {
  const key = keyOf(name);
  useEffect(() => {
    const kept = sessionStorage.getItem(key);
    if (kept !== null) restore(JSON.parse(kept) as Values);
    // once, when the form opens
    // oxlint-disable-next-line react/exhaustive-deps
  }, [key]);
  useEffect(() => {
    if (isDirty) sessionStorage.setItem(key, JSON.stringify(values));
    else sessionStorage.removeItem(key);
  }, [key, values, isDirty]);
}

/** Of a form that is gone before it is drawn again. */
export function forgetDraft(name: string): void {
  sessionStorage.removeItem(keyOf(name));
}

function keyOf(name: string): string {
  return `console.draft.${name}`;
}
