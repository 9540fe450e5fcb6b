import { QueryClient } from '@tanstack/react-query';
import { Refused } from '../api/client.ts';
import { SessionOver } from './session.ts';

/** Refused, and refused again until somebody does something about it. */
function isFinal(error: unknown): boolean {
  return (
    error instanceof SessionOver || (error instanceof Refused && error.status < 500 && error.status !== 429)
  );
}

/** Whoever is told when to come again comes no sooner. */
function noSoonerThan(error: Error | null, ms: number): number {
  const seconds = error instanceof Refused ? (error.retryAfterSeconds ?? 0) : 0;
  return Math.max(ms, seconds * 1000);
}

/** For `refetchInterval`: again by itself, until the session is over or the right to see it is gone. */
export function every(ms: number) {
  return ({ state }: { readonly state: { readonly error: Error | null } }): number | false =>
    isFinal(state.error) ? false : noSoonerThan(state.error, ms);
}

/** For `refetchInterval` of what nobody is told of where it cannot be read: again by itself until it is there. */
export function untilThere({
  state: { data, error },
}: {
  readonly state: { readonly data: unknown; readonly error: Error | null };
}): number | false {
  return data === undefined && error !== null && !isFinal(error) ? noSoonerThan(error, 10_000) : false;
}

/** So long the service may ask for patience without anybody being told. */
const MOST_PATIENCE_SECONDS = 5;

/** What was refused is refused again; what never arrived or came too early is worth another try, and what took too long one more. */
function isWorthAnother(failures: number, error: Error): boolean {
  if (error instanceof DOMException) return failures < 1;
  if (failures >= 2 || error instanceof SessionOver) return false;
  if (!(error instanceof Refused)) return true;
  const { status, retryAfterSeconds } = error;
  if (status === 429) return retryAfterSeconds !== undefined && retryAfterSeconds <= MOST_PATIENCE_SECONDS;
  return status >= 500;
}

export const queries = new QueryClient({
  defaultOptions: {
    // a call that was made without a network fails where it was made, and is not sent later from somewhere else
    queries: {
      networkMode: 'always',
      staleTime: 10_000,
      retry: isWorthAnother,
      retryDelay: (failures, error) =>
        error instanceof Refused && error.status === 429
          ? (error.retryAfterSeconds ?? 0) * 1000
          : 1000 * 2 ** failures,
      // `networkMode` alone would have it left to whoever looks
      refetchOnReconnect: true,
    },
    // passwords that were sent and secrets that were answered go with the page that they stood on
    mutations: { networkMode: 'always', gcTime: 1000 },
  },
});
