import { useSyncExternalStore } from 'react';

/** Whether there may be something to be told. What draws notices is loaded with the first that can make one. */

let isNeeded = false;
const listeners = new Set<() => void>();

export function needNotices(): void {
  isNeeded = true;
  for (const listen of listeners) listen();
}

export function useNeedOfNotices(): boolean {
  return useSyncExternalStore(
    (listen) => {
      listeners.add(listen);
      return () => listeners.delete(listen);
    },
    () => isNeeded,
  );
}
