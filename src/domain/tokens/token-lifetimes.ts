import type { TokenPolicy } from '../policies/policies.store.js';
import type { TokenSettings } from './token-settings.js';

export interface TokenLifetimes {
  readonly accessTokenSeconds: number;
  readonly idTokenSeconds: number;
  readonly refreshIdleSeconds: number;
  readonly refreshAbsoluteSeconds: number;
}

/** What the organization of a client decided, or the instance, else what the service is configured with. */
export function lifetimesOf(
  { lifetimes = {} }: { readonly lifetimes?: TokenPolicy },
  settings: TokenSettings,
): TokenLifetimes {
  return {
    accessTokenSeconds: lifetimes.accessTokenSeconds ?? settings.accessTokenSeconds,
    idTokenSeconds: lifetimes.idTokenSeconds ?? settings.idTokenSeconds,
    refreshIdleSeconds: lifetimes.refreshIdleSeconds ?? settings.refreshIdleSeconds,
    refreshAbsoluteSeconds: lifetimes.refreshAbsoluteSeconds ?? settings.refreshAbsoluteSeconds,
  };
}
