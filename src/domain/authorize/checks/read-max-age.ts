import { OAuthError } from '../../shared/errors.js';
import type { Check } from './check.js';

const MAX_AGE = /^[0-9]{1,10}$/;

export const readMaxAge: Check = ({ parameters }) => {
  const text = parameters.get('max_age');
  if (text === undefined) return {};
  if (!MAX_AGE.test(text)) throw new OAuthError('invalid_request', 'max_age must be a number of seconds');
  return { maxAge: Math.min(Number(text), 2_147_483_647) };
};
