import { CatchBoundary } from '@tanstack/react-router';
import { Suspense, useEffect, useSyncExternalStore, type ReactNode } from 'react';
import { isHeld } from '../shared/held.ts';

/**
 * Parts of the console that are loaded when they are needed. One that fails to load is replaced by a notice, and the rest of
 * the page stays; a banner explains why, mostly that a new version was deployed, whose files have other names.
 */

/** What is known of a part that failed to load. */
type LoadFailure = 'part' | 'version';

let lack: LoadFailure | undefined;
const listeners = new Set<() => void>();
const failures = new WeakSet<object>();
let isReloading = false;

function tell(what: LoadFailure): void {
  if (lack === 'version' || lack === what) return;
  lack = what;
  for (const listen of listeners) listen();
}

addEventListener('vite:preloadError', ({ payload }) => {
  failures.add(payload);
  void lookForNewVersion();
});

/** Also where a part was only loaded ahead: whoever knows of a new version early loses nothing. */
async function lookForNewVersion(): Promise<void> {
  const entry = document.querySelector('script[type=module]')?.getAttribute('src');
  try {
    const answer = await fetch('/console/', { cache: 'no-store' });
    if (answer.ok && typeof entry === 'string' && !(await answer.text()).includes(entry)) tell('version');
  } catch {
    // no connection: told where the part was wanted
  }
}

export function useLack(): LoadFailure | undefined {
  return useSyncExternalStore(
    (listen) => {
      listeners.add(listen);
      return () => listeners.delete(listen);
    },
    () => lack,
  );
}

/** Whether a part did not come, rather than failed. */
export function isNotLoaded(error: unknown): boolean {
  return typeof error === 'object' && error !== null && failures.has(error);
}

/** Loads the page anew. Forms have their drafts; whoever would lose a secret is asked by the browser. */
export function reload(): void {
  isReloading = !isHeld();
  location.reload();
  // whoever is asked may stay
  setTimeout(() => {
    isReloading = false;
  }, 1_000);
}

/** Whether the page goes away to come back with its drafts. */
export function isBeingReloaded(): boolean {
  return isReloading;
}

interface LaterProperties {
  /** Until it is there, and where it does not come. */
  readonly fallback?: ReactNode;
  /** Where it does not come. */
  readonly failed?: ReactNode;
  readonly children: ReactNode;
}

/** Around what is loaded later. */
export function Later({ fallback = null, failed = fallback, children }: LaterProperties) {
  return (
    <CatchBoundary
      getResetKey={() => 'later'}
      errorComponent={({ error }) => <NotThere error={error}>{failed}</NotThere>}
    >
      <Suspense fallback={fallback}>{children}</Suspense>
    </CatchBoundary>
  );
}

/** In place of what did not come. An error of another kind is for the page. */
export function NotThere({ error, children }: { readonly error: unknown; readonly children: ReactNode }) {
  if (!isNotLoaded(error)) throw error;
  useEffect(() => tell('part'), []);
  return children;
}
