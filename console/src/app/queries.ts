import { QueryClient } from '@tanstack/react-query';
import { Refused } from '../api/client.ts';
import { SessionOver } from './session.ts';

/** What was refused is refused again; only what never arrived is worth another try. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) =>
        failures < 2 && !(error instanceof SessionOver) && !(error instanceof Refused && error.status < 500),
    },
    // passwords that were sent and secrets that were answered go with the page that they stood on
    mutations: { gcTime: 1000 },
  },
});
