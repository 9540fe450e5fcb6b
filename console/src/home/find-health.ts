import { useQuery } from '@tanstack/react-query';
import { answered, api, type Answered } from '../api/client.ts';
import { every } from '../app/queries.ts';

export type Health = Answered<'/admin/v1/health', 'get'>;
export type Worker = Health['workers'][number];

/** @param isAsked false for whoever may not know */
export function useHealth(isAsked = true) {
  return useQuery({
    queryKey: ['health'],
    queryFn: async () => await answered(api.GET('/admin/v1/health')),
    refetchInterval: every(15_000),
    enabled: isAsked,
  });
}
