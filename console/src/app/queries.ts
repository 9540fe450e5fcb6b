import { QueryClient } from '@tanstack/react-query';
import { Refused } from '../api/client.ts';
import { SessionOver } from './session.ts';

/** Refused, and refused again until somebody does something about it. */
function isFinal(error: unknown): boolean {
  return (
    error instanceof SessionOver || (error instanceof Refused && error.status < 500 && error.status !== 429)
  );
}

/** For `refetchInterval`: again by itself, until the session is over or the right to see it is gone. */
export function every(ms: number) {
  return ({ state }: { readonly state: { readonly error: Error | null } }): number | false =>
    isFinal(state.error) ? false : ms;
}

/** What was refused is refused again; only what never arrived is worth another try. */
export const queries = new QueryClient({
  defaultOptions: {
    // a call that was made without a network fails where it was made, and is not sent later from somewhere else
    queries: {
      networkMode: 'always',
      staleTime: 10_000,
      retry: (failures, error) =>
        failures < 2 && !(error instanceof SessionOver) && !(error instanceof Refused && error.status < 500),
    },
    // passwords that were sent and secrets that were answered go with the page that they stood on
    mutations: { networkMode: 'always', gcTime: 1000 },
  },
});
