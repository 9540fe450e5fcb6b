import { useEffect, useSyncExternalStore } from 'react';

/**
 * Whether the page has what no draft keeps: something that is shown this once, a secret in a field, a file that was chosen.
 * Whatever needs a fresh sign-in leads nobody away from it then, and offers that in another tab.
 */
export type Held = 'secret' | 'file';

const held: Record<Held, number> = { secret: 0, file: 0 };
const listeners = new Set<() => void>();

function change(what: Held, by: number): void {
  held[what] += by;
  for (const listen of listeners) listen();
}

/** For as long as the component is there, and there is something to hold. */
export function useHold(isNeeded = true, what: Held = 'secret'): void {
  useEffect(() => {
    if (!isNeeded) return undefined;
    change(what, 1);
    return () => change(what, -1);
  }, [isNeeded, what]);
}

/** What would be lost; a file first, since it cannot be typed again. */
function findHeld(): Held | undefined {
  if (held.file > 0) return 'file';
  return held.secret > 0 ? 'secret' : undefined;
}

export function isHeld(): boolean {
  return findHeld() !== undefined;
}

export function useHeld(): Held | undefined {
  return useSyncExternalStore((listen) => {
    listeners.add(listen);
    return () => listeners.delete(listen);
  }, findHeld);
}
