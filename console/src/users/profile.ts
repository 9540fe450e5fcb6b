import type { Sent } from '../api/client.ts';
import type { User } from './users.ts';

/** The form of a profile, and the bodies it is read from and written as. */

export type Profile = NonNullable<User['human']>['profile'];
type Body = Sent<'/management/v1/users/{id}/profile', 'put'>;

const ADDRESS = ['formatted', 'streetAddress', 'postalCode', 'locality', 'region', 'country'] as const;
const TEXTS = [
  'firstName',
  'lastName',
  'displayName',
  'middleName',
  'nickName',
  'preferredLanguage',
  'gender',
  'birthdate',
  'zoneinfo',
  'website',
  'profile',
  'picture',
] as const;

export type AddressField = (typeof ADDRESS)[number];
export type TextField = (typeof TEXTS)[number];
export type ProfileValues = Record<TextField | AddressField, string>;

/** What somebody is called who has no display name of their own. */
export function usualName({ firstName, lastName }: Pick<ProfileValues, 'firstName' | 'lastName'>): string {
  return `${firstName} ${lastName}`.trim();
}

export function valuesOf(profile: Profile | undefined): ProfileValues {
  const texts = TEXTS.map((field) => [field, profile?.[field] ?? ''] as const);
  const address = ADDRESS.map((field) => [field, profile?.address?.[field] ?? ''] as const);
  const values = Object.fromEntries([...texts, ...address]) as ProfileValues;
  return { ...values, displayName: values.displayName === usualName(values) ? '' : values.displayName };
}

/** Names, language and gender are removed by leaving them out, everything else by an empty text. */
export function bodyOf(values: ProfileValues): Body {
  const trimmed = Object.fromEntries(
    Object.entries(values).map(([field, value]) => [field, value.trim()]),
  ) as ProfileValues;
  const { firstName, lastName, displayName, nickName, preferredLanguage, gender, ...others } = trimmed;
  const { formatted, streetAddress, postalCode, locality, region, country, ...further } = others;
  const named = { firstName, lastName, displayName, nickName, preferredLanguage, gender };
  return {
    ...Object.fromEntries(Object.entries(named).filter(([, value]) => value !== '')),
    ...further,
    address: { formatted, streetAddress, postalCode, locality, region, country },
  };
}
