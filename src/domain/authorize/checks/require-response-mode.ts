import { OAuthError } from '../../shared/errors.js';
import type { Check } from './check.js';

/** Served response modes. Discovery lists exactly these. */
export const SERVED_RESPONSE_MODES = ['query'] as const;

export const requireResponseMode: Check = ({ parameters }) => {
  const responseMode = parameters.get('response_mode') ?? 'query';
  const served = SERVED_RESPONSE_MODES.find((mode) => mode === responseMode);
  if (served === undefined) throw new OAuthError('invalid_request', 'response_mode is not supported');
  return { responseMode: served };
};
