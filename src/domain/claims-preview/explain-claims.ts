import { isDeepStrictEqual } from 'node:util';
import { USER_CLAIMS } from '../shared/user-claim-names.js';
import type { ClaimSet } from '../tokens/claims/user-claims.js';

/** Switches of an application and its project that decide what its tokens say. */
export const CLAIM_SWITCHES = [
  'idTokenUserinfoAssertion',
  'accessTokenRoleAssertion',
  'idTokenRoleAssertion',
  'projectRoleAssertion',
] as const;
export type ClaimSwitch = (typeof CLAIM_SWITCHES)[number];

/** Where the value of a claim comes from. */
export const CLAIM_SOURCES = ['user', 'roles', 'metadata', 'organization', 'token'] as const;
type ClaimSource = (typeof CLAIM_SOURCES)[number];

export interface ExplainedClaim {
  readonly name: string;
  readonly value: unknown;
  readonly source: ClaimSource;
  /** Without any one of these the claim would be missing, or say something else. */
  readonly scopes: readonly string[];
  /** As `scopes`, of the switches that are on. */
  readonly switches: readonly ClaimSwitch[];
}

/** What decides about claims. */
export interface Cause {
  readonly scopes: readonly string[];
  readonly switches: ReadonlySet<ClaimSwitch>;
}

/** Of one token, one sign-in or one moment: nothing to preview. */
const OF_ONE_TOKEN: ReadonlySet<string> = new Set(
  'active jti exp iat nbf auth_time amr acr sid nonce at_hash c_hash act'.split(' '),
);

/**
 * The claims with the reasons for them. Reasons are found by asking the same code again with one scope or one switch less, so
 * that they cannot differ from what it does.
 *
 * @param claimsFor the code of the real tokens
 */
export async function explainClaims(
  claimsFor: (cause: Cause) => Promise<ClaimSet>,
  { scopes, switches }: Cause,
): Promise<readonly ExplainedClaim[]> {
  const all = await claimsFor({ scopes, switches });
  const withoutScope: (readonly [string, ClaimSet])[] = [];
  for (const scope of scopes) {
    // what makes an answer of OpenID Connect at all is no reason for a single claim
    if (scope === 'openid') continue;
    withoutScope.push([scope, await claimsFor({ scopes: scopes.filter((one) => one !== scope), switches })]);
  }
  const withoutSwitch: (readonly [ClaimSwitch, ClaimSet])[] = [];
  for (const one of switches) {
    const others = new Set([...switches].filter((other) => other !== one));
    withoutSwitch.push([one, await claimsFor({ scopes, switches: others })]);
  }
  const reasonsFor = <Reason>(name: string, without: readonly (readonly [Reason, ClaimSet])[]): Reason[] =>
    // the scopes of a token are all of its scopes
    name === 'scope'
      ? []
      : without.flatMap(([reason, claims]) => (isDeepStrictEqual(claims[name], all[name]) ? [] : [reason]));
  return Object.keys(all)
    .filter((name) => !OF_ONE_TOKEN.has(name))
    .map((name) => ({
      name,
      value: all[name],
      source: sourceOf(name),
      scopes: reasonsFor(name, withoutScope),
      switches: reasonsFor(name, withoutSwitch),
    }));
}

function sourceOf(name: string): ClaimSource {
  if (USER_CLAIMS.includes(name) || name === 'username') return 'user';
  if (name.endsWith(':roles')) return 'roles';
  if (name.endsWith(':metadata')) return 'metadata';
  return name.startsWith('urn:') ? 'organization' : 'token';
}
