import { useEffect, useSyncExternalStore } from 'react';

/**
 * Whether the page shows something that is shown this once, or has a secret in a field, which no draft keeps: whatever needs a
 * fresh sign-in leads nobody away from it then, and offers that in another tab.
 */

let held = 0;
const listeners = new Set<() => void>();

function change(by: number): void {
  held += by;
  for (const listen of listeners) listen();
}

/** For as long as the component is there, and there is something to hold. */
export function useHold(isNeeded = true): void {
  useEffect(() => {
    if (!isNeeded) return undefined;
    change(1);
    return () => change(-1);
  }, [isNeeded]);
}

export function isHeld(): boolean {
  return held > 0;
}

export function useIsHeld(): boolean {
  return useSyncExternalStore((listen) => {
    listeners.add(listen);
    return () => listeners.delete(listen);
  }, isHeld);
}
