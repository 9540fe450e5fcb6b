import { OAuthError } from '../../shared/errors.js';
import type { Check } from './check.js';

/** Request objects are not served, and ignoring one would drop what it asks for (OpenID Connect Core §6). */
export const rejectRequestObject: Check = ({ parameters }) => {
  if (parameters.has('request')) throw new OAuthError('request_not_supported', 'request is not supported');
  if (parameters.has('request_uri')) {
    throw new OAuthError('request_uri_not_supported', 'request_uri is not supported');
  }
  return {};
};
