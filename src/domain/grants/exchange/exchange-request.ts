import { OAuthError } from '../../shared/errors.js';
import type { OAuthParameters } from '../../shared/oauth-parameters.js';
import { parseScopes } from '../../tokens/scopes/scopes.js';
import {
  ACTOR_TOKEN_TYPES,
  needsActor,
  REQUESTED_TOKEN_TYPES,
  SUBJECT_TOKEN_TYPES,
  TOKEN_TYPE_ACCESS,
  type ActorTokenType,
  type IssuedTokenType,
  type SubjectTokenType,
} from './token-types.js';

/** More than any request has reason to name. */
const MOST_AUDIENCES = 50;

interface PresentedToken<Type> {
  readonly token: string;
  readonly type: Type;
}

export interface ExchangeRequest {
  readonly subject: PresentedToken<SubjectTokenType>;
  readonly actor?: PresentedToken<ActorTokenType>;
  readonly requestedType: IssuedTokenType;
  /** Undefined for those of the tokens. */
  readonly scopes?: readonly string[];
  /** Empty for that of the tokens. */
  readonly audience: readonly string[];
}

/**
 * What a token exchange asks for (RFC 8693 §2.1), before any token is looked at.
 *
 * @param resources the projects that it names by their addresses; undefined where that is not served
 * @throws OAuthError invalid_request, invalid_scope, invalid_target
 */
export function readExchangeRequest(
  parameters: OAuthParameters,
  resources: readonly string[] | undefined,
): ExchangeRequest {
  const token = parameters.require('subject_token');
  const type = typeOf(parameters.require('subject_token_type'), SUBJECT_TOKEN_TYPES, 'subject_token_type');
  const actor = readActor(parameters);
  if (actor === undefined && needsActor(type)) {
    throw new OAuthError('invalid_request', 'actor_token missing: a subject of this type needs one');
  }
  const requested = parameters.get('requested_token_type') ?? TOKEN_TYPE_ACCESS;
  const requestedType = typeOf(requested, REQUESTED_TOKEN_TYPES, 'requested_token_type');
  if (resources === undefined && parameters.has('resource')) {
    throw new OAuthError('invalid_target', 'resource parameter not supported');
  }
  const audience = [...new Set([...parameters.all('audience'), ...(resources ?? [])])];
  if (audience.length > MOST_AUDIENCES)
    throw new OAuthError('invalid_target', 'audience has too many values');
  const scope = parameters.get('scope');
  const scopes = scope === undefined ? undefined : parseScopes(scope);
  if (scope !== undefined && (scopes === undefined || scopes.length === 0)) {
    throw new OAuthError('invalid_scope', 'scope is malformed');
  }
  return {
    subject: { token, type },
    ...(actor === undefined ? {} : { actor }),
    requestedType,
    ...(scopes === undefined ? {} : { scopes }),
    audience,
  };
}

function readActor(parameters: OAuthParameters): PresentedToken<ActorTokenType> | undefined {
  const token = parameters.get('actor_token');
  if (token === undefined) {
    if (!parameters.has('actor_token_type')) return undefined;
    throw new OAuthError('invalid_request', 'actor_token missing');
  }
  return {
    token,
    type: typeOf(parameters.require('actor_token_type'), ACTOR_TOKEN_TYPES, 'actor_token_type'),
  };
}

function typeOf<Type>(named: string, known: ReadonlyMap<string, Type>, parameter: string): Type {
  const type = known.get(named);
  if (type === undefined) throw new OAuthError('invalid_request', `${parameter} is not supported`);
  return type;
}
