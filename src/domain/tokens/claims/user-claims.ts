import { USER_CLAIMS } from '../../shared/user-claim-names.js';

/**
 * A user's claims by scope (OpenID Connect Core §5.1, §5.4). What is empty is left out, never null or "": clients
 * and the conformance suite both take an empty string for a fault.
 */
export interface HumanClaims {
  readonly kind: 'human';
  readonly displayName: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly middleName: string | null;
  readonly nickName: string | null;
  readonly preferredLanguage: string | null;
  readonly gender: string | null;
  readonly profile: string | null;
  readonly picture: string | null;
  readonly website: string | null;
  readonly birthdate: string | null;
  readonly zoneinfo: string | null;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly phone: string | null;
  readonly phoneVerified: boolean;
  readonly address: {
    readonly formatted: string | null;
    readonly streetAddress: string | null;
    readonly locality: string | null;
    readonly region: string | null;
    readonly postalCode: string | null;
    readonly country: string | null;
  };
}

interface ServiceUserClaims {
  readonly kind: 'machine';
  readonly name: string;
}

export interface Subject {
  readonly id: string;
  readonly orgId: string;
  readonly userName: string;
  /** `userName@<primary domain>` */
  readonly loginName: string;
  /** Seconds since the epoch of the last change. */
  readonly changedAt: number;
  readonly claims: HumanClaims | ServiceUserClaims;
}

export type ClaimSet = Record<string, unknown>;

function withoutEmpty(claims: ClaimSet): ClaimSet {
  const kept: ClaimSet = {};
  for (const name of Object.keys(claims)) {
    const value = claims[name];
    if (value !== null && value !== undefined && value !== '') kept[name] = value;
  }
  return kept;
}

function profileClaims(subject: Subject): ClaimSet {
  const shared = { preferred_username: subject.loginName, updated_at: subject.changedAt };
  const { claims } = subject;
  if (claims.kind === 'machine') return { name: claims.name, ...shared };
  return {
    name: claims.displayName,
    given_name: claims.firstName,
    family_name: claims.lastName,
    middle_name: claims.middleName,
    nickname: claims.nickName,
    profile: claims.profile,
    picture: claims.picture,
    website: claims.website,
    gender: claims.gender,
    birthdate: claims.birthdate,
    zoneinfo: claims.zoneinfo,
    locale: claims.preferredLanguage,
    ...shared,
  };
}

function addressClaim({ address }: HumanClaims): ClaimSet {
  const members = withoutEmpty({
    formatted: address.formatted,
    street_address: address.streetAddress,
    locality: address.locality,
    region: address.region,
    postal_code: address.postalCode,
    country: address.country,
  });
  return Object.keys(members).length === 0 ? {} : { address: members };
}

/** Claims of the granted scopes, without `sub`. */
export function claimsOfScopes(subject: Subject, scopes: readonly string[]): ClaimSet {
  const { claims } = subject;
  const set: ClaimSet = scopes.includes('profile') ? profileClaims(subject) : {};
  if (claims.kind === 'human') {
    if (scopes.includes('email')) {
      Object.assign(set, { email: claims.email, email_verified: claims.emailVerified });
    }
    if (scopes.includes('phone') && claims.phone !== null) {
      Object.assign(set, { phone_number: claims.phone, phone_number_verified: claims.phoneVerified });
    }
    if (scopes.includes('address')) Object.assign(set, addressClaim(claims));
  }
  return withoutEmpty(set);
}

const USER_SCOPES: readonly string[] = ['profile', 'email', 'phone', 'address'];

/** Whether a scope stands for claims about the user. */
export function hasUserClaims(scope: string): boolean {
  return USER_SCOPES.includes(scope);
}

/** Claims of the granted scopes, and those that were asked for one by one, as far as the user has them. */
export function claimsOf(
  subject: Subject,
  scopes: readonly string[],
  requested: readonly string[],
): ClaimSet {
  const set = claimsOfScopes(subject, scopes);
  if (requested.length === 0) return set;
  const all = claimsOfScopes(subject, USER_SCOPES);
  for (const name of requested) if (Object.hasOwn(all, name)) set[name] = all[name];
  return set;
}

const SCOPE_OF_CLAIM: Readonly<Record<string, string>> = {
  email: 'email',
  email_verified: 'email',
  phone_number: 'phone',
  phone_number_verified: 'phone',
  address: 'address',
};

/** The scope that a claim about the user belongs to. */
export function scopeOfClaim(name: string): string {
  return SCOPE_OF_CLAIM[name] ?? 'profile';
}

/** Every claim that an ID token or userinfo may carry. @param hybrid whether one comes with a code (OpenID Connect Core §3.3.2.11) */
export function claimsServed({ hybrid }: { readonly hybrid: boolean }): readonly string[] {
  return [
    ...'iss sub aud azp exp iat auth_time nonce amr acr sid at_hash'.split(' '),
    ...(hybrid ? ['c_hash'] : []),
    ...USER_CLAIMS,
  ];
}
