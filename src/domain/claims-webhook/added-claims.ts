import { ChannelError } from '../notifications/channels.js';
import { USER_CLAIMS } from '../shared/user-claim-names.js';

/** Claims go into tokens, and those into headers. */
const MOST_BYTES = 4_096;
const MOST_CLAIMS = 50;
const DEEPEST = 5;
const NAME = /^[A-Za-z0-9:/._~#?=-]{1,200}$/;

/**
 * What nobody may add, in one list: whatever a token, userinfo or introspection says of itself or of the user, by us or by a
 * registered meaning (RFC 7519, 7662, 7800, 8417, 8693, 9068, 9449; OpenID Connect Core §2, §5.1; front and back-channel
 * logout), and what JavaScript takes for its own.
 */
const RESERVED = new Set([
  ...USER_CLAIMS,
  ...(
    'iss sub sub_id aud exp nbf iat jti typ azp nonce auth_time at_hash c_hash s_hash acr amr sid sub_jwk cnf ' +
    'client_id scope scp act may_act active username token_type events toe txn roles groups entitlements permissions ' +
    'authorization_details vct orig dest mky verified_claims ' +
    '_claim_names _claim_sources __proto__ constructor prototype'
  ).split(' '),
]);
/** Of the service's own claims. */
const RESERVED_BEGINNINGS = ['urn:zitadel:', 'urn:service:', 'urn:iam:'];

export function isReserved(name: string): boolean {
  const lower = name.toLowerCase();
  return RESERVED.has(lower) || RESERVED_BEGINNINGS.some((beginning) => lower.startsWith(beginning));
}

/**
 * The claims of an answer: `{"claims": {…}}`. One that may not be added invalidates the whole answer, so that the sender notices
 * instead of missing one claim.
 *
 * @throws ChannelError that says by kind what is wrong
 */
export function claimsIn(body: string): Readonly<Record<string, unknown>> {
  const claims = objectIn(body)['claims'];
  if (!isObject(claims)) throw refused('no_claims');
  const names = Object.keys(claims);
  if (names.length > MOST_CLAIMS) throw refused('claims_too_large');
  for (const name of names) {
    if (isReserved(name)) throw refused('claim_reserved');
    if (!NAME.test(name)) throw refused('claim_name');
    if (isDeeper(claims[name], DEEPEST)) throw refused('claim_too_deep');
  }
  // of what is deep no further than that: written out, a hundred thousand levels would break the stack
  if (Buffer.byteLength(JSON.stringify(claims)) > MOST_BYTES) throw refused('claims_too_large');
  return claims;
}

function objectIn(body: string): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(body);
    if (isObject(read)) return read;
  } catch {
    // reported below
  }
  throw refused('not_json');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

function refused(reason: string): ChannelError {
  return new ChannelError(reason, 'terminal');
}
