import type { ResponseType } from '../../applications/oidc-config.js';
import { signsMessages, type Profiled } from '../../applications/security-profile.js';
import { OAuthError } from '../../shared/errors.js';
import type { OAuthParameters } from '../../shared/oauth-parameters.js';
import {
  JWT_RESPONSE_MODES,
  partsOfMode,
  type AnswerChannel,
  type PlainResponseMode,
  type ResponseMode,
} from '../auth-request.js';
import type { Check } from './check.js';
import { readState } from './read-opaque-values.js';
import { readResponseType } from './require-response-type.js';
import { SERVED_BY_ALL, type AskedResponseMode, type ServedResponses } from './served-responses.js';

function defaultMode(responseType: ResponseType | undefined): PlainResponseMode {
  return responseType === undefined || responseType === 'code' ? 'query' : 'fragment';
}

function modeOf(asked: AskedResponseMode, responseType: ResponseType | undefined): ResponseMode {
  return asked === 'jwt' ? `${defaultMode(responseType)}.jwt` : asked;
}

/** Why an answer may not travel like this, or undefined when it may. */
function modeProblem(
  mode: ResponseMode,
  responseType: ResponseType | undefined,
  redirectUri: string,
): string | undefined {
  switch (partsOfMode(mode).way) {
    case 'query':
      // a query ends up in logs and referrers; tokens never go there (Multiple Response Type Encoding §3, §5), nor in a
      // JWT that everybody can read (JARM §2.3.1)
      return defaultMode(responseType) === 'query'
        ? undefined
        : `response_mode ${mode} is not allowed for this response_type`;
    case 'fragment':
      return undefined;
    case 'form_post':
      // browsers send forms to web addresses only, so a native application's own scheme would wait for ever
      return /^https?:/.test(redirectUri)
        ? undefined
        : `response_mode ${mode} is not possible with this redirect_uri`;
  }
}

/**
 * How the errors of a request travel that may not be good in any other respect: as it asked, where that can be read
 * and is served, else as its response type has it, else by the query. Who asked for a JWT gets one by whatever way: without a
 * signature anybody could have made the error; so does who is held to Message Signing.
 */
export function channelOfErrors(
  parameters: OAuthParameters,
  redirectUri: string,
  served: ServedResponses = SERVED_BY_ALL,
  profile: Profiled = {},
): AnswerChannel {
  const responseType = readResponseType(parameters, served.types);
  const modes = modesFor(profile, served);
  const asked = parameters.isRepeated('response_mode')
    ? undefined
    : (parameters.get('response_mode') ?? modeInside(parameters.get('request')));
  const state = readState(parameters);
  return {
    redirectUri,
    responseMode: modeOfErrors(
      modes.find((mode) => mode === asked) ?? (signsMessages(profile) ? 'jwt' : undefined),
      responseType,
      redirectUri,
    ),
    ...(state === undefined ? {} : { state }),
  };
}

function modeOfErrors(
  asked: AskedResponseMode | undefined,
  responseType: ResponseType | undefined,
  redirectUri: string,
): ResponseMode {
  if (asked === undefined) return defaultMode(responseType);
  const mode = modeOf(asked, responseType);
  if (modeProblem(mode, responseType, redirectUri) === undefined) return mode;
  return partsOfMode(mode).asJwt ? modeOf('jwt', responseType) : defaultMode(responseType);
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

/** FAPI 2.0 Message Signing §5.4.1: as a JWT alone, whatever the instance does for others. */
function modesFor(profile: Profiled, served: ServedResponses): readonly AskedResponseMode[] {
  return signsMessages(profile) ? ['jwt', ...JWT_RESPONSE_MODES] : served.modes;
}

export const requireResponseMode: Check = ({ parameters, application, redirectUri, served, found }) => {
  const wanted = parameters.get('response_mode') ?? defaultMode(found.responseType);
  const asked = modesFor(application, served).find((mode) => mode === wanted);
  if (asked === undefined) {
    const problem = signsMessages(application) ? 'must be jwt for this application' : 'is not supported';
    throw new OAuthError('invalid_request', `response_mode ${problem}`);
  }
  const responseMode = modeOf(asked, found.responseType);
  const problem = modeProblem(responseMode, found.responseType, redirectUri);
  if (problem !== undefined) throw new OAuthError('invalid_request', problem);
  return { responseMode };
};
