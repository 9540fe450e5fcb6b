import { useEffect, useSyncExternalStore } from 'react';

/** What could not be read because the session is over: the page says it once, wherever the parts are. */

export interface Missing {
  /** Undefined for something that somebody did: it says so itself, where they look, and once is enough. */
  readonly onRetry?: () => void;
  /** What the page holds would be lost: nobody is led away from it. */
  readonly stays: boolean;
}

let missing: readonly Missing[] = [];
const listeners = new Set<() => void>();

function change(next: readonly Missing[]): void {
  missing = next;
  for (const listen of listeners) listen();
}

/** For as long as the component is there. @param isOver not, where something else went wrong */
export function useReport(isOver: boolean, stays: boolean, onRetry?: () => void): void {
  useEffect(() => {
    if (!isOver) return;
    const one: Missing = { stays, ...(onRetry !== undefined && { onRetry }) };
    change([...missing, one]);
    return () => change(missing.filter((other) => other !== one));
    // whoever asks again is the same for as long as the error is there
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isOver, stays]);
}

export function useMissing(): readonly Missing[] {
  return useSyncExternalStore(
    (listen) => {
      listeners.add(listen);
      return () => listeners.delete(listen);
    },
    () => missing,
  );
}
