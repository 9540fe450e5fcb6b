import { furtherRules, type TextRule } from '../../domain/imports/records/human-profile.js';
import { ApiError } from '../../domain/shared/errors.js';
import type { OAuthParameters } from '../../domain/shared/oauth-parameters.js';
import { GENDERS, type HumanProfile } from '../../domain/users/user.js';
import { FURTHER_FIELDS, type FurtherField, type ProfileFault } from '../../pages/account-profile-page.js';

/** Values of the page's further fields, by their names. */
export type Further = Readonly<Partial<Record<FurtherField, string>>>;

const ADDRESS = ['streetAddress', 'postalCode', 'locality', 'region', 'country', 'formatted'] as const;

/** Each field has the rule that it has in the APIs. */
const RULES: Readonly<Record<Exclude<FurtherField, 'gender'>, TextRule>> = {
  ...furtherRules.address,
  middleName: furtherRules.middleName,
  nickName: furtherRules.middleName,
  birthdate: furtherRules.birthdate,
  zoneinfo: furtherRules.zoneinfo,
  website: furtherRules.website,
  profile: furtherRules.profile,
  picture: furtherRules.picture,
};

const KINDS: Readonly<Partial<Record<FurtherField, ProfileFault['kind']>>> = {
  birthdate: 'birthdate',
  zoneinfo: 'zone',
  website: 'url',
  profile: 'url',
  picture: 'url',
};

/** What a profile has in them. */
export function furtherOf({ address = {}, ...profile }: HumanProfile): Further {
  const { middleName, nickName, birthdate, gender, zoneinfo, website, picture } = profile;
  const given = {
    middleName,
    nickName,
    birthdate,
    gender,
    zoneinfo,
    website,
    picture,
    profile: profile.profile,
  };
  const all = Object.entries({ ...given, ...address }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(all) as Further;
}

/** What was typed; browsers end lines by two characters. */
export function typedIn(form: OAuthParameters): Further {
  const typed = FURTHER_FIELDS.map((field) => [field, form.get(field)?.replaceAll('\r\n', '\n')] as const);
  return Object.fromEntries(typed.filter(([, value]) => value !== undefined));
}

/** All faults at once, in the order of the fields. An empty field removes the claim. */
export function readFurther(
  typed: Further,
): { readonly profile: Partial<HumanProfile> } | { readonly faults: readonly ProfileFault[] } {
  const read: Partial<Record<FurtherField, string>> = {};
  const faults: ProfileFault[] = [];
  for (const field of FURTHER_FIELDS) {
    if (field === 'gender') continue;
    try {
      const value = RULES[field].read(
        field,
        typed[field],
        (path, rule) => new ApiError('invalid-argument', `${path} ${rule}`),
      );
      if (value !== undefined) read[field] = value;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      faults.push({ field, kind: KINDS[field] ?? 'text' });
    }
  }
  if (faults.length > 0) return { faults };
  const gender = GENDERS.find((one) => one === typed.gender);
  const parts = Object.fromEntries(
    ADDRESS.flatMap((field) => (read[field] === undefined ? [] : [[field, read[field]]])),
  );
  const own = Object.fromEntries(
    Object.entries(read).filter(([field]) => !(ADDRESS as readonly string[]).includes(field)),
  );
  return {
    profile: {
      ...own,
      ...(gender !== undefined && { gender }),
      ...(Object.keys(parts).length > 0 && { address: parts }),
    },
  };
}
