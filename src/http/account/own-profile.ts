import { furtherRules, type TextRule } from '../../domain/imports/records/human-profile.js';
import { ApiError } from '../../domain/shared/errors.js';
import type { OAuthParameters } from '../../domain/shared/oauth-parameters.js';
import { sha256 } from '../../domain/shared/random.js';
import { nameLine, readNames, type NameProblem } from '../../domain/users/names/typed-names.js';
import { usualDisplayName } from '../../domain/users/profile-replacement.js';
import { GENDERS, type HumanProfile, type HumanUser } from '../../domain/users/user.js';
import {
  FIELD_OF,
  FURTHER_FIELDS,
  type FurtherField,
  type ProfileFault,
  type ProfileField,
} from '../../pages/account-profile-page.js';

export const ADDRESS = ['streetAddress', 'postalCode', 'locality', 'region', 'country', 'formatted'] as const;
const OF_SEVERAL_LINES: ReadonlySet<ProfileField> = new Set(['streetAddress', 'formatted']);
const NAMES = ['firstName', 'lastName', 'displayName'] as const;

/** What the fields of the page have in them, or had when it was shown; absent for an empty one. */
export type Values = Readonly<Partial<Record<ProfileField, string>>>;

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

/** What a profile has in the fields of the page: a display name only where one was chosen. */
export function valuesOf({ address = {}, ...profile }: HumanProfile): Values {
  const { firstName, lastName, displayName, middleName, nickName, birthdate, gender } = profile;
  const { zoneinfo, website, picture } = profile;
  const chosen = displayName === usualDisplayName(profile) ? undefined : displayName;
  const names = { firstName, lastName, displayName: chosen, middleName, nickName };
  const about = { birthdate, gender, zoneinfo, website, profile: profile.profile, picture };
  return onlySaid({ ...names, ...about, ...address });
}

/** What was typed; browsers end lines by two characters. */
export function typedIn(form: OAuthParameters): Values {
  const typed = [...NAMES, ...FURTHER_FIELDS].map(
    (field) => [field, form.get(field)?.replaceAll('\r\n', '\n')] as const,
  );
  return onlySaid(Object.fromEntries(typed));
}

function onlySaid(values: Readonly<Record<string, string | undefined>>): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** What a form remembers of the values that its page showed, to know later what was typed: a digest of each, since they are long. */
export function shownMark(values: Values): string {
  const fields = Object.keys(values) as ProfileField[];
  return JSON.stringify(Object.fromEntries(fields.map((field) => [field, digestOf(field, values[field])])));
}

/**
 * The fields whose text is another than the page had shown: only they are checked and stored, so that nothing undoes what
 * somebody else has set meanwhile, and nothing on file that no form would take keeps the rest from being saved.
 * @param mark of what was shown; a form of the release before has none, and the names alone
 */
export function touchedIn(typed: Values, mark: string | undefined): ReadonlySet<ProfileField> {
  const shown = readMark(mark);
  if (shown === undefined) return new Set(NAMES);
  const isTouched = (field: ProfileField) =>
    digestOf(field, typed[field]) !== (shown[field] ?? digestOf(field, ''));
  return new Set([...NAMES, ...FURTHER_FIELDS].filter(isTouched));
}

function readMark(mark: string | undefined): Readonly<Partial<Record<ProfileField, unknown>>> | undefined {
  try {
    const shown: unknown = JSON.parse(mark ?? '');
    return typeof shown === 'object' && shown !== null ? shown : undefined;
  } catch {
    return undefined;
  }
}

function digestOf(field: ProfileField, value: string | undefined): string {
  return sha256(plain(field, value)).toString('base64url').slice(0, 16);
}

/** As a browser gives it back that nobody has typed into. */
function plain(field: ProfileField, value = ''): string {
  return value
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll('\n', OF_SEVERAL_LINES.has(field) ? '\n' : '')
    .trim();
}

/** What is wrong with names that were typed. Whoever has a display name alone needs no others. */
export function nameProblems(typed: Values, touched: ReadonlySet<ProfileField>): readonly NameProblem[] {
  const read = readNames(typed);
  if (!('problems' in read)) return [];
  const needsNames =
    touched.has('firstName') ||
    touched.has('lastName') ||
    (touched.has('displayName') && nameLine(typed.displayName) === '');
  return read.problems.filter((problem) =>
    problem.endsWith('-missing') ? needsNames : touched.has(FIELD_OF[problem]),
  );
}

/** All faults of what was typed, in the order of the fields. An empty field removes the claim. */
export function readFurther(
  typed: Values,
  touched: ReadonlySet<ProfileField>,
): { readonly read: Values } | { readonly faults: readonly ProfileFault[] } {
  const read: Partial<Record<FurtherField, string>> = {};
  const faults: ProfileFault[] = [];
  for (const field of FURTHER_FIELDS.filter((one) => touched.has(one))) {
    if (field === 'gender') {
      const gender = GENDERS.find((one) => one === typed.gender);
      if (gender !== undefined) read.gender = gender;
      continue;
    }
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
  return faults.length > 0 ? { faults } : { read };
}

/** A profile with what was typed, and all else as it is. @param read further fields, as `readFurther` has made them */
export function edited(
  before: HumanUser['profile'],
  typed: Values,
  read: Values,
  touched: ReadonlySet<ProfileField>,
): HumanUser['profile'] {
  const { address, ...claims } = before;
  const own: Record<string, string | undefined> = { ...claims };
  for (const field of FURTHER_FIELDS.filter((one) => touched.has(one) && !isOfAddress(one))) {
    own[field] = read[field];
  }
  const typedParts = ADDRESS.filter((one) => touched.has(one));
  const parts = onlySaid({
    ...address,
    ...Object.fromEntries(typedParts.map((field) => [field, read[field]])),
  });
  // the one there is, where nothing of it was typed, so that it does not count as changed
  const whole = typedParts.length === 0 ? address : parts;
  const firstName = touched.has('firstName') ? nameLine(typed.firstName) : before.firstName;
  const lastName = touched.has('lastName') ? nameLine(typed.lastName) : before.lastName;
  const usual = usualDisplayName({ firstName, lastName });
  const isUsual = before.displayName === usualDisplayName(before);
  const chosen = touched.has('displayName') ? nameLine(typed.displayName) : before.displayName;
  const displayName = chosen === '' || (isUsual && !touched.has('displayName')) ? usual : chosen;
  return {
    ...(onlySaid(own) as Partial<HumanProfile>),
    firstName,
    lastName,
    displayName,
    ...(whole !== undefined && Object.keys(whole).length > 0 && { address: whole }),
  };
}

function isOfAddress(field: ProfileField): boolean {
  return (ADDRESS as readonly ProfileField[]).includes(field);
}
