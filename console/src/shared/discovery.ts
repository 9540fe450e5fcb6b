import { useQuery } from '@tanstack/react-query';
import { LONGEST_READ_MS } from '../api/limits.ts';
import { untilThere } from '../app/queries.ts';
import { timeLimit } from '../app/time-limit.ts';

/** What the instance publishes about itself, as far as pages of the console go by it. */
interface Discovery {
  /** Where applications register; missing where the instance does not let them. */
  readonly registration_endpoint?: string;
  readonly userinfo_signing_alg_values_supported?: readonly string[];
}

async function discovery(): Promise<Discovery> {
  const answer = await fetch('/.well-known/openid-configuration', {
    signal: timeLimit(LONGEST_READ_MS).signal,
  });
  if (!answer.ok) throw new Error('the service does not answer');
  return (await answer.json()) as Discovery;
}

/** Empty until it is read. */
export function useDiscovery(): Discovery {
  return useQuery({ queryKey: ['discovery'], queryFn: discovery, refetchInterval: untilThere }).data ?? {};
}
