import { useEffect, useRef, useState } from 'react';
import { useHold } from './held.ts';

/**
 * What was typed into a form and not saved, so that a reload or a new sign-in does not lose it: kept in this tab's
 * sessionStorage until it is saved, and for whoever typed it alone (app/session.ts). Secrets are not kept: leave them out of
 * `values`, and have `useLostSecret` tell whoever typed one.
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

/**
 * Of a form with a draft, for its secrets, which are in the memory of the page alone: while one is typed, nobody is led away for a
 * fresh sign-in, which would lose it. True where one was typed before the page was loaded again, and not since: that there was
 * one is kept.
 */
export function useLostSecret(name: string, isTyped: boolean, isDirty: boolean): boolean {
  const key = keyOfSecret(name);
  const [isLost, setLost] = useState(() => sessionStorage.getItem(key) !== null);
  const wasDirty = useRef(isDirty);
  useHold(isTyped);
  useEffect(() => {
    // saved or discarded
    const isOver = wasDirty.current && !isDirty;
    wasDirty.current = isDirty;
    if (isTyped || isOver) setLost(false);
    // what was saved stands in the field until the page is left
    if (isTyped ? isDirty : isLost && !isOver) sessionStorage.setItem(key, 'typed');
    else sessionStorage.removeItem(key);
  }, [key, isTyped, isDirty, isLost]);
  return isLost && !isTyped;
}

/** Of a form that is gone before it is drawn again. */
export function forgetDraft(name: string): void {
  sessionStorage.removeItem(keyOf(name));
  sessionStorage.removeItem(keyOfSecret(name));
}

function keyOf(name: string): string {
  return `console.draft.${name}`;
}

function keyOfSecret(name: string): string {
  return `${keyOf(name)}.secret`;
}
