import type { BrowserApplication } from '../../applications/application.js';
import { gives, grantTypesFor, type ResponseType } from '../../applications/oidc-config.js';
import { OAuthError } from '../../shared/errors.js';
import type { OAuthParameters } from '../../shared/oauth-parameters.js';
import type { Check } from './check.js';

/** The order of the words in a response type has no meaning (OAuth 2.0 Multiple Response Types §3). */
function normalise(responseType: string): string {
  return responseType.split(' ').toSorted().join(' ');
}

/** The response type a request asks for, if it asks for one that is served. */
export function readResponseType(
  parameters: OAuthParameters,
  served: readonly ResponseType[],
): ResponseType | undefined {
  if (parameters.isRepeated('response_type')) return undefined;
  const wanted = normalise(parameters.get('response_type') ?? '');
  return served.find((type) => normalise(type) === wanted);
}

/**
 * RFC 6749 §3.1.1: present, served, and enabled for the application. Types with a token in the front channel want
 * the grant type `implicit` as well, so that a type which was ticked by mistake leaks nothing (RFC 9700 §2.1.2).
 */
export const requireResponseType: Check = ({ parameters, application, served }) => {
  if (!parameters.has('response_type')) throw new OAuthError('invalid_request', 'response_type missing');
  const responseType = readResponseType(parameters, served.types);
  if (responseType === undefined) {
    throw new OAuthError('unsupported_response_type', 'response_type is not supported');
  }
  if (isUnboundToken(responseType, application)) {
    const needed = application.dpopBoundAccessTokens ? 'DPoP proof' : 'client certificate';
    throw new OAuthError('unauthorized_client', `this application gets access tokens with a ${needed} only`);
  }
  if (!isEnabledResponseType(responseType, application)) {
    throw new OAuthError('unauthorized_client', 'response_type is not enabled for this application');
  }
  return { responseType };
};

type WhatIsAllowed = Pick<
  BrowserApplication,
  'responseTypes' | 'grantTypes' | 'dpopBoundAccessTokens' | 'tlsClientCertificateBoundAccessTokens'
>;

/** Whether the application may have answers of this type. */
export function isEnabledResponseType(responseType: ResponseType, application: WhatIsAllowed): boolean {
  const { responseTypes, grantTypes } = application;
  const enabled = responseTypes.some((type) => normalise(type) === normalise(responseType));
  return (
    enabled &&
    grantTypesFor(responseType).every((needed) => grantTypes.includes(needed)) &&
    !isUnboundToken(responseType, application)
  );
}

/** What comes by the browser is bound to nothing. */
function isUnboundToken(
  responseType: ResponseType,
  { dpopBoundAccessTokens, tlsClientCertificateBoundAccessTokens }: WhatIsAllowed,
): boolean {
  return (dpopBoundAccessTokens || tlsClientCertificateBoundAccessTokens) && gives(responseType, 'token');
}
