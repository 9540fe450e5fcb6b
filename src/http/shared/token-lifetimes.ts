import { z } from 'zod';
import type { TokenPolicy } from '../../domain/policies/token-policy.js';
import { LONGEST_TOKEN_SECONDS } from '../../domain/signing-keys/key-settings.js';
import type { TokenSettings } from '../../domain/tokens/token-settings.js';

/** A duration as protojson writes it: `900s`. */
export function duration(least: number, most: number) {
  const rule = `must be a duration from "${least}s" to "${most}s"`;
  return z
    .string({ error: rule })
    .regex(/^[0-9]{1,9}s$/, rule)
    .transform((text) => Number(text.slice(0, -1)))
    .refine((seconds) => seconds >= least && seconds <= most, rule);
}

/**
 * Lifetimes of tokens as a body has them. @param most of access and ID tokens: keys are kept for as long as
 * LONGEST_TOKEN_SECONDS after they last signed, so that nothing that may be set outlives the key that verifies it
 */
export function lifetimeFields(most = LONGEST_TOKEN_SECONDS) {
  return {
    accessTokenLifetime: duration(60, most).optional(),
    idTokenLifetime: duration(60, most).optional(),
    refreshTokenIdleExpiration: duration(300, 31_536_000).optional(),
    refreshTokenExpiration: duration(300, 31_536_000).optional(),
  };
}

type LifetimeFields = { readonly [Name in keyof ReturnType<typeof lifetimeFields>]?: number | undefined };

export function tokenPolicyOf(fields: LifetimeFields): TokenPolicy {
  return {
    accessTokenSeconds: fields.accessTokenLifetime,
    idTokenSeconds: fields.idTokenLifetime,
    refreshIdleSeconds: fields.refreshTokenIdleExpiration,
    refreshAbsoluteSeconds: fields.refreshTokenExpiration,
  };
}

const seconds = z.string().regex(/^\d+s$/);
export const lifetimesAnswer = {
  accessTokenLifetime: seconds,
  idTokenLifetime: seconds,
  refreshTokenIdleExpiration: seconds,
  refreshTokenExpiration: seconds,
};

export type ShownLifetimes = { readonly [Name in keyof typeof lifetimesAnswer]: string };

/** What holds, so that nobody has to know who decided it. @param decided the nearest first */
export function shownLifetimes(
  settings: TokenSettings,
  ...decided: readonly (TokenPolicy | undefined)[]
): ShownLifetimes {
  const holding = (name: keyof TokenPolicy): string =>
    `${decided.find((one) => one?.[name] !== undefined)?.[name] ?? settings[name]}s`;
  return {
    accessTokenLifetime: holding('accessTokenSeconds'),
    idTokenLifetime: holding('idTokenSeconds'),
    refreshTokenIdleExpiration: holding('refreshIdleSeconds'),
    refreshTokenExpiration: holding('refreshAbsoluteSeconds'),
  };
}
