import type { Application } from '../clients/application.js';
import type { TokenSettings } from './token-settings.js';

export interface TokenLifetimes {
  readonly accessTokenSeconds: number;
  readonly idTokenSeconds: number;
  readonly refreshIdleSeconds: number;
  readonly refreshAbsoluteSeconds: number;
}

/** What the application's organization decided, else what the service is configured with. */
export function lifetimesOf({ lifetimes = {} }: Application, settings: TokenSettings): TokenLifetimes {
  return {
    accessTokenSeconds: lifetimes.accessTokenSeconds ?? settings.accessTokenSeconds,
    idTokenSeconds: lifetimes.idTokenSeconds ?? settings.idTokenSeconds,
    refreshIdleSeconds: lifetimes.refreshIdleSeconds ?? settings.refreshIdleSeconds,
    refreshAbsoluteSeconds: lifetimes.refreshAbsoluteSeconds ?? settings.refreshAbsoluteSeconds,
  };
}
