import { z } from 'zod';
import type { TokenPolicy } from '../../../domain/policies/policies.store.js';
import { LONGEST_TOKEN_SECONDS } from '../../../domain/signing-keys/key-settings.js';
import type { TokenSettings } from '../../../domain/tokens/token-settings.js';
import { answerFrom } from '../answers.js';
import { duration, shownDuration } from './duration.js';

/**
 * Lifetimes of tokens as a body has them. @param most of access and ID tokens: keys are kept for as long as
 * LONGEST_TOKEN_SECONDS after they last signed, so that nothing that may be set outlives the key that verifies it
 */
export function lifetimesBody(most = LONGEST_TOKEN_SECONDS) {
  return z
    .strictObject({
      accessTokenLifetime: duration(60, most).optional(),
      idTokenLifetime: duration(60, most).optional(),
      refreshTokenIdleExpiration: duration(300, 31_536_000).optional(),
      refreshTokenExpiration: duration(300, 31_536_000).optional(),
    })
    .meta({
      examples: [
        {
          accessTokenLifetime: '3600s',
          idTokenLifetime: '3600s',
          refreshTokenIdleExpiration: '2592000s',
          refreshTokenExpiration: '7776000s',
        },
      ],
    })
    .transform((lifetimes): TokenPolicy => ({
      accessTokenSeconds: lifetimes.accessTokenLifetime,
      idTokenSeconds: lifetimes.idTokenLifetime,
      refreshIdleSeconds: lifetimes.refreshTokenIdleExpiration,
      refreshAbsoluteSeconds: lifetimes.refreshTokenExpiration,
    }));
}

/** What holds, so that nobody has to know who decided it. */
export const shownLifetimes = answerFrom(
  z.object({
    accessTokenLifetime: shownDuration,
    idTokenLifetime: shownDuration,
    refreshTokenIdleExpiration: shownDuration,
    refreshTokenExpiration: shownDuration,
  }),
  ({ settings, decided }: DecidedLifetimes) => {
    const holding = (name: keyof TokenPolicy): number =>
      decided.find((one) => one?.[name] !== undefined)?.[name] ?? settings[name];
    return {
      accessTokenLifetime: holding('accessTokenSeconds'),
      idTokenLifetime: holding('idTokenSeconds'),
      refreshTokenIdleExpiration: holding('refreshIdleSeconds'),
      refreshTokenExpiration: holding('refreshAbsoluteSeconds'),
    };
  },
);

interface DecidedLifetimes {
  /** As the service is configured. */
  readonly settings: TokenSettings;
  /** The nearest first. */
  readonly decided: readonly (TokenPolicy | undefined)[];
}
