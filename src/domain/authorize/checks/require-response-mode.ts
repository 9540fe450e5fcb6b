import type { ResponseType } from '../../applications/oidc-config.js';
import { OAuthError } from '../../shared/errors.js';
import type { OAuthParameters } from '../../shared/oauth-parameters.js';
import { RESPONSE_MODES, type AnswerChannel, type ResponseMode } from '../auth-request.js';
import type { Check } from './check.js';
import { readState } from './read-opaque-values.js';
import { readResponseType, SERVED_RESPONSE_TYPES } from './require-response-type.js';

/** Served response modes. Discovery lists exactly these. */
export const SERVED_RESPONSE_MODES = RESPONSE_MODES;

function defaultMode(responseType: ResponseType | undefined): ResponseMode {
  return responseType === undefined || responseType === 'code' ? 'query' : 'fragment';
}

/** Why an answer may not travel like this, or undefined when it may. */
function modeProblem(
  mode: ResponseMode,
  responseType: ResponseType | undefined,
  redirectUri: string,
): string | undefined {
  switch (mode) {
    case 'query':
      // a query ends up in logs and referrers; tokens never go there (Multiple Response Type Encoding §3, §5)
      return defaultMode(responseType) === 'query'
        ? undefined
        : 'response_mode query is not allowed for this response_type';
    case 'fragment':
      return undefined;
    case 'form_post':
      // browsers send forms to web addresses only, so a native application's own scheme would wait for ever
      return /^https?:/.test(redirectUri)
        ? undefined
        : 'response_mode form_post is not possible with this redirect_uri';
  }
}

/**
 * How the errors of a request travel that may not be good in any other respect: as it asked, where that can be read
 * and is served, else as its response type has it, else by the query.
 */
export function channelOfErrors(
  parameters: OAuthParameters,
  redirectUri: string,
  served: readonly ResponseType[] = SERVED_RESPONSE_TYPES,
): AnswerChannel {
  const responseType = readResponseType(parameters, served);
  const asked = parameters.isRepeated('response_mode')
    ? undefined
    : (parameters.get('response_mode') ?? modeInside(parameters.get('request')));
  const responseMode = SERVED_RESPONSE_MODES.find(
    (mode) => mode === asked && modeProblem(mode, responseType, redirectUri) === undefined,
  );
  const state = readState(parameters);
  return {
    redirectUri,
    responseMode: responseMode ?? defaultMode(responseType),
    ...(state === undefined ? {} : { state }),
  };
}

/**
 * A request object is refused unread, but for how the refusal should travel: clients put response_mode inside only
 * (Core §6.1), and one that waits for a form would not find an error in a query. Nothing else of it counts, and it is
 * no more in somebody else's hands than the parameter outside is.
 */
function modeInside(requestObject: string | undefined): unknown {
  try {
    const claims: unknown = JSON.parse(
      Buffer.from(requestObject?.split('.')[1] ?? '', 'base64url').toString(),
    );
    return typeof claims === 'object' && claims !== null && 'response_mode' in claims
      ? claims.response_mode
      : undefined;
  } catch {
    return undefined;
  }
}

export const requireResponseMode: Check = ({ parameters, redirectUri, found }) => {
  const asked = parameters.get('response_mode') ?? defaultMode(found.responseType);
  const responseMode = SERVED_RESPONSE_MODES.find((mode) => mode === asked);
  if (responseMode === undefined) throw new OAuthError('invalid_request', 'response_mode is not supported');
  const problem = modeProblem(responseMode, found.responseType, redirectUri);
  if (problem !== undefined) throw new OAuthError('invalid_request', problem);
  return { responseMode };
};
