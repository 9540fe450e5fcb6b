import { OAuthError } from '../../shared/errors.js';
import type { Check } from './check.js';

/** The order of the words in a response type has no meaning (OAuth 2.0 Multiple Response Types §3). */
function normalise(responseType: string): string {
  return responseType.split(' ').toSorted().join(' ');
}

/** Served response types. Discovery lists exactly these. */
export const SERVED_RESPONSE_TYPES: readonly string[] = ['code'];

/** RFC 6749 §3.1.1: present, served, and enabled for the application. */
export const requireResponseType: Check = ({ parameters, application }) => {
  const responseType = parameters.get('response_type');
  if (responseType === undefined) throw new OAuthError('invalid_request', 'response_type missing');
  const wanted = normalise(responseType);
  if (!SERVED_RESPONSE_TYPES.some((type) => normalise(type) === wanted)) {
    throw new OAuthError('unsupported_response_type', 'response_type is not supported');
  }
  if (!application.responseTypes.some((type) => normalise(type) === wanted)) {
    throw new OAuthError('unauthorized_client', 'response_type is not enabled for this application');
  }
  return { responseType: wanted };
};
