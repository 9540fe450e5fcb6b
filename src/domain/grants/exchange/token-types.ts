/** Token type identifiers (RFC 8693 §3) and who may use which: the table of docs/token-exchange.md. */
export const TOKEN_TYPE_ACCESS = 'urn:ietf:params:oauth:token-type:access_token';
export const TOKEN_TYPE_ID = 'urn:ietf:params:oauth:token-type:id_token';
export const TOKEN_TYPE_JWT = 'urn:ietf:params:oauth:token-type:jwt';

/** The id of a user instead of a token. Both spellings are one (protocol §8.4). */
const USER_ID_TYPES = [
  'urn:zitadel:params:oauth:token-type:user_id',
  'urn:service:params:oauth:token-type:user_id',
];

export type SubjectTokenType = 'access_token' | 'id_token' | 'jwt' | 'user_id';
export type ActorTokenType = 'access_token' | 'id_token';
export type IssuedTokenType = typeof TOKEN_TYPE_ACCESS | typeof TOKEN_TYPE_ID | typeof TOKEN_TYPE_JWT;

export const SUBJECT_TOKEN_TYPES: ReadonlyMap<string, SubjectTokenType> = new Map([
  [TOKEN_TYPE_ACCESS, 'access_token'],
  [TOKEN_TYPE_ID, 'id_token'],
  [TOKEN_TYPE_JWT, 'jwt'],
  ...USER_ID_TYPES.map((type) => [type, 'user_id'] as const),
]);

export const ACTOR_TOKEN_TYPES: ReadonlyMap<string, ActorTokenType> = new Map([
  [TOKEN_TYPE_ACCESS, 'access_token'],
  [TOKEN_TYPE_ID, 'id_token'],
]);

export const REQUESTED_TOKEN_TYPES: ReadonlyMap<string, IssuedTokenType> = new Map(
  ([TOKEN_TYPE_ACCESS, TOKEN_TYPE_ID, TOKEN_TYPE_JWT] as const).map((type) => [type, type]),
);

/** These say who the subject is and prove nothing of it: somebody must act, and has to have the right to. */
export function needsActor(type: SubjectTokenType): boolean {
  return type === 'jwt' || type === 'user_id';
}
