import type { ProjectId } from '../shared/ids.js';
import { languages, lookupLocale } from '../shared/locale.js';

/** Fields of an account that a provider's claims may fill. */
export const MAPPED_FIELDS = [
  'userName',
  'email',
  'emailVerified',
  'firstName',
  'lastName',
  'displayName',
  'nickName',
  'preferredLanguage',
] as const;
type MappedField = (typeof MAPPED_FIELDS)[number];

/** Whoever has this value in the claim (in a list: among others) has the role; whoever has not, has not. */
interface RoleRule {
  readonly claim: string;
  readonly value: string;
  readonly projectId: ProjectId;
  readonly roleKey: string;
}

interface MetadataRule {
  readonly claim: string;
  readonly key: string;
}

/** A table, no language: from which claim each thing comes. `a.b` is the member `b` of the claim `a`. */
export interface ClaimMapping {
  readonly fields: Readonly<Partial<Record<MappedField, string>>>;
  readonly roles: readonly RoleRule[];
  readonly metadata: readonly MetadataRule[];
}

export const NO_MAPPING: ClaimMapping = { fields: {}, roles: [], metadata: [] };

/** What a provider said of somebody. */
export type ExternalClaims = Readonly<Record<string, unknown>>;

/**
 * The claims of OpenID Connect Core §5.1; a preset of another protocol has its own. The user name is the address unless a
 * mapping says otherwise: elsewhere people choose theirs, and here it would be taken.
 */
export const OIDC_FIELDS: ClaimMapping['fields'] = {
  email: 'email',
  emailVerified: 'email_verified',
  firstName: 'given_name',
  lastName: 'family_name',
  displayName: 'name',
  nickName: 'nickname',
  preferredLanguage: 'locale',
};

/** What the claims come to. Absent is what the provider did not say, or said in a form that no field has. */
export interface MappedIdentity {
  readonly userName?: string;
  readonly email?: string;
  /** True only for the boolean; anything else a provider may mean by the claim proves nothing. */
  readonly emailVerified: boolean;
  readonly profile: Readonly<
    Partial<Record<'firstName' | 'lastName' | 'displayName' | 'nickName' | 'preferredLanguage', string>>
  >;
  readonly roles: readonly { readonly rule: RoleRule; readonly holds: boolean }[];
  readonly metadata: readonly { readonly key: string; readonly value: string }[];
}

const LONGEST_TEXT = 200;
const LONGEST_METADATA = 2000;

/** @param usual where the mapping leaves a field out */
export function mapClaims(
  claims: ExternalClaims,
  mapping: ClaimMapping,
  usual: ClaimMapping['fields'],
): MappedIdentity {
  const claimOf = (field: MappedField): unknown => {
    const path = mapping.fields[field] ?? usual[field];
    return path === undefined || path === '' ? undefined : claimAt(claims, path);
  };
  const textOf = (field: MappedField): string | undefined => plainText(claimOf(field), LONGEST_TEXT);
  const language = textOf('preferredLanguage');
  const profile = {
    firstName: textOf('firstName'),
    lastName: textOf('lastName'),
    displayName: textOf('displayName'),
    nickName: textOf('nickName'),
    preferredLanguage: language === undefined ? undefined : lookupLocale([language], languages),
  };
  const userName = textOf('userName');
  const email = textOf('email');
  return {
    ...(userName !== undefined && { userName }),
    ...(email !== undefined && { email }),
    emailVerified: claimOf('emailVerified') === true,
    profile: Object.fromEntries(Object.entries(profile).filter(([, value]) => value !== undefined)),
    roles: mapping.roles.map((rule) => ({ rule, holds: hasValue(claimAt(claims, rule.claim), rule.value) })),
    metadata: mapping.metadata.flatMap(({ claim, key }) => {
      const value = shownClaim(claimAt(claims, claim));
      return value === undefined ? [] : [{ key, value }];
    }),
  };
}

/** The member at a path. A claim whose name has dots in it, as a URL has, is found by the whole name. */
export function claimAt(claims: ExternalClaims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const part of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

/** Whether a claim is a value, or has it among others. */
export function hasValue(claim: unknown, wanted: string): boolean {
  const values: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return values.some((value) => value === wanted || (typeof value !== 'string' && String(value) === wanted));
}

/** One line without controls, or nothing. */
function plainText(value: unknown, most: number): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value)
    .replace(/[\p{Cc}\p{Cs}]+/gu, ' ')
    .trim();
  return text === '' || text.length > most ? undefined : text;
}

function shownClaim(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = typeof value === 'object' ? JSON.stringify(value) : plainText(value, LONGEST_METADATA);
  const shown = typeof value === 'boolean' ? String(value) : text;
  return shown === undefined || shown.length > LONGEST_METADATA ? undefined : shown;
}
