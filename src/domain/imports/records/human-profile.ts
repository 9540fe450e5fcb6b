import { z } from 'zod';
import { isLongerThan, isPlainText, requireName, requirePlainText } from '../../users/names/text-rules.js';
import { usualDisplayName, type ProfileReplacement } from '../../users/profile-replacement.js';
import { GENDERS, type Gender, type HumanProfile } from '../../users/user.js';
import { readPreferredLanguage } from './preferred-language.js';
import { fieldReader, shapeOf, type FieldsOf, type ObjectShape } from './read-fields.js';
import { brokenRule, FieldError, inField } from './record-errors.js';

/** The body's names of the profile's fields, and how an error names the rule that a field breaks. */
interface Place {
  readonly prefix: string;
  /** Otherwise a human with a display name may have neither, as one who registered here. */
  readonly needsNames?: boolean;
  readonly broken: (path: string, rule: string) => Error;
}

const OF_A_RECORD: Place = { prefix: 'profile.', broken: brokenRule };
/** Protocol §1.1 knows nobody without a name. */
export const OF_A_CALL: Place = { ...OF_A_RECORD, needsNames: true };
const ALONE: Place = { prefix: '', broken: (path, rule) => new FieldError(path, `${path} ${rule}`) };

export const LONGEST_NAME = 200;
export const LONGEST_TEXT = 500;
export const LONGEST_URL = 2048;
export const LONGEST_LANGUAGE = 10;

/** What a field may hold. A bulk file has a million records, so it is read by `read`; `schema` is for the document. */
export interface TextRule {
  readonly read: (path: string, given: string | undefined, broken: Place['broken']) => string | undefined;
  readonly schema: z.ZodType;
}
export interface Rules {
  readonly [field: string]: TextRule | Rules;
}
/** A rule for every field, so that a field without one does not compile. */
type RulesFor<Fields> = {
  readonly [Field in keyof Required<Fields>]: NonNullable<Fields[Field]> extends string
    ? TextRule
    : RulesFor<NonNullable<Fields[Field]>>;
};
type ShapeOfRules<Given> = {
  readonly [Field in keyof Given]: Given[Field] extends TextRule ? 'text' : ShapeOfRules<Given[Field]>;
};

const name: TextRule = { read: optionalName, schema: z.string().max(LONGEST_NAME) };
const lines: TextRule = { read: optionalLines, schema: z.string().max(LONGEST_TEXT) };
const url = (description: string): TextRule => ({
  read: readUrl,
  schema: z.string().max(LONGEST_URL).meta({ description }),
});

/** In the order of their numbers, for protojson takes either. */
export const GENDER_NAMES = {
  female: 'GENDER_FEMALE',
  male: 'GENDER_MALE',
  diverse: 'GENDER_DIVERSE',
} as const satisfies Readonly<Record<Gender, string>>;
const UNSPECIFIED = 'GENDER_UNSPECIFIED';
const WIRE_GENDERS: readonly unknown[] = [UNSPECIFIED, ...GENDERS.map((gender) => GENDER_NAMES[gender])];

/** The profile of `_import` (protocol §1.1) for the document; its fields are read by `readProfile`, which has the rules. */
export const importedProfileSchema = z.strictObject({
  firstName: z.string().min(1).max(LONGEST_NAME),
  lastName: z.string().min(1).max(LONGEST_NAME),
  nickName: z.string().max(LONGEST_NAME).optional(),
  displayName: z
    .string()
    .max(2 * LONGEST_NAME + 1)
    .optional()
    .meta({
      description: `Without it first and last name. Any other has at most ${LONGEST_NAME} characters.`,
    }),
  preferredLanguage: z.string().max(LONGEST_LANGUAGE).optional().meta({ description: 'BCP 47 tag.' }),
  gender: z
    .unknown()
    .meta({ enum: [...WIRE_GENDERS] })
    .optional(),
});
const importedProfileFields = shapeOf(importedProfileSchema);

/**
 * The further fields of a human's profile, one name and one rule each, wherever they are written: in a bulk file, by
 * managers and by the humans themselves. They are called as in OpenID Connect Core §5.1. Bodies, answers, columns of CSV
 * files and the command line's mappings have what stands here.
 */
export const furtherRules = {
  middleName: name,
  profile: url('http or https URL of the profile page.'),
  picture: url('http or https URL.'),
  website: url('http or https URL.'),
  birthdate: {
    read: readBirthdate,
    schema: z.string().meta({ description: '`YYYY-MM-DD` or `YYYY`.' }),
  },
  zoneinfo: {
    read: readZone,
    schema: z.string().max(64).meta({ description: 'Time zone, such as `Europe/Zurich`.' }),
  },
  address: {
    formatted: lines,
    streetAddress: lines,
    locality: name,
    region: name,
    postalCode: name,
    country: name,
  },
} as const satisfies RulesFor<Omit<HumanProfile, keyof typeof importedProfileFields>>;

export function isTextRule(rule: TextRule | Rules): rule is TextRule {
  return typeof rule.read === 'function';
}

function shapeOfRules<Given extends Rules>(rules: Given): ShapeOfRules<Given> {
  const fields = Object.entries(rules).map(([field, rule]) => [
    field,
    isTextRule(rule) ? 'text' : shapeOfRules(rule),
  ]);
  return Object.fromEntries(fields) as ShapeOfRules<Given>;
}

export const profileFields = {
  ...importedProfileFields,
  ...shapeOfRules(furtherRules),
} as const satisfies ObjectShape;

export type ProfileFields = FieldsOf<typeof profileFields>;

const FURTHER = Object.keys(furtherRules) as readonly (keyof typeof furtherRules)[];

const readProfileFields = fieldReader(profileFields);

/** Reads a profile that is a body of its own. @throws ApiError invalid-argument */
export function readProfileReplacement(body: unknown): ProfileReplacement {
  const fields = readProfileFields(body);
  const kept = FURTHER.filter((name) => fields[name] === undefined);
  return { profile: readProfile(fields, ALONE), kept };
}

/** The profile of a record. @throws ApiError invalid-argument */
export function readProfile(fields: ProfileFields, place: Place = OF_A_RECORD): HumanProfile {
  const { prefix, broken } = place;
  const nameOf = (field: keyof ProfileFields & keyof HumanProfile): string | undefined =>
    optionalName(prefix + field, fields[field] as string | undefined, broken);
  const { firstName, lastName } = readNames(fields, place);
  const nickName = nameOf('nickName');
  // the name that a user has without one, which can be longer than one that is given
  const usual = fields.displayName === usualDisplayName({ firstName, lastName });
  const displayName = usual ? undefined : nameOf('displayName');
  const preferredLanguage = readLanguage(`${prefix}preferredLanguage`, fields.preferredLanguage, broken);
  const gender = readGender(`${prefix}gender`, fields.gender);
  return {
    firstName,
    lastName,
    ...(nickName !== undefined && { nickName }),
    ...(displayName !== undefined && { displayName }),
    ...(preferredLanguage !== undefined && { preferredLanguage }),
    ...(gender !== undefined && { gender }),
    ...furtherProfile(fields, place),
  };
}

function readNames(
  fields: ProfileFields,
  { prefix, broken, needsNames }: Place,
): Pick<HumanProfile, 'firstName' | 'lastName'> {
  const isNamed = fields.displayName !== undefined && fields.displayName.trim() !== '';
  if (!needsNames && isNamed && fields.firstName === undefined && fields.lastName === undefined) {
    return { firstName: '', lastName: '' };
  }
  const firstName = requiredName(`${prefix}firstName`, fields.firstName, broken).trim();
  if (firstName === '')
    throw new FieldError(`${prefix}firstName`, 'First name in profile is empty', 'PROFILE-RF5z2');
  const lastName = requiredName(`${prefix}lastName`, fields.lastName, broken).trim();
  if (lastName === '')
    throw new FieldError(`${prefix}lastName`, 'Last name in profile is empty', 'PROFILE-DSUkN');
  return { firstName, lastName };
}

/** The claims of OpenID Connect Core §5.1 that a single import does not take. */
function furtherProfile(fields: ProfileFields, { prefix, broken }: Place): Partial<HumanProfile> {
  // most records have none of them, and a bulk file has a million records
  if (FURTHER.every((field) => fields[field] === undefined)) return {};
  return textsOf(furtherRules, fields, prefix, broken) ?? {};
}

/** Undefined when all are empty. */
function textsOf(
  rules: Rules,
  fields: Readonly<Record<string, unknown>>,
  prefix: string,
  broken: Place['broken'],
): Record<string, unknown> | undefined {
  const texts: Record<string, unknown> = {};
  for (const [field, rule] of Object.entries(rules)) {
    const given = fields[field];
    const read = isTextRule(rule)
      ? rule.read(prefix + field, given as string | undefined, broken)
      : textsOf(rule, (given ?? {}) as Record<string, unknown>, `${prefix}${field}.`, broken);
    if (read !== undefined) texts[field] = read;
  }
  return Object.keys(texts).length === 0 ? undefined : texts;
}

export function requiredName(
  path: string,
  given: string | undefined,
  broken: Place['broken'] = brokenRule,
): string {
  if (given === undefined || given === '' || isLongerThan(LONGEST_NAME, given)) {
    throw broken(path, `value length must be between 1 and ${LONGEST_NAME} runes, inclusive`);
  }
  inField(path, () => requireName(path, given));
  return given;
}

function optionalName(path: string, given: string | undefined, broken: Place['broken']): string | undefined {
  if (given === undefined) return undefined;
  requireAtMost(path, given, LONGEST_NAME, broken);
  inField(path, () => requireName(path, given));
  const name = given.trim();
  return name === '' ? undefined : name;
}

/** OpenID Connect Core §5.1.1: these two may have several lines, the only texts that may. */
function optionalLines(path: string, given: string | undefined, broken: Place['broken']): string | undefined {
  const lines = given?.split(/\r\n|\n/) ?? [];
  for (const line of lines) inField(path, () => requirePlainText(path, line));
  return textAtMost(path, given?.trim(), broken);
}

export function optionalText(
  path: string,
  given: string | undefined,
  broken: Place['broken'] = brokenRule,
): string | undefined {
  if (given !== undefined) inField(path, () => requirePlainText(path, given));
  return textAtMost(path, given?.trim(), broken);
}

function textAtMost(path: string, given: string | undefined, broken: Place['broken']): string | undefined {
  if (given === undefined || given === '') return undefined;
  requireAtMost(path, given, LONGEST_TEXT, broken);
  return given;
}

function requireAtMost(path: string, given: string, longest: number, broken: Place['broken']): void {
  if (isLongerThan(longest, given)) throw broken(path, `value length must be at most ${longest} runes`);
}

function readLanguage(path: string, given: string | undefined, broken: Place['broken']): string | undefined {
  if (given === undefined) return undefined;
  requireAtMost(path, given, LONGEST_LANGUAGE, broken);
  return readPreferredLanguage(given);
}

function readGender(path: string, given: unknown): Gender | undefined {
  if (given === undefined) return undefined;
  const number = typeof given === 'number' ? given : WIRE_GENDERS.indexOf(given);
  if (number in WIRE_GENDERS) return GENDERS[number - 1];
  throw new FieldError(path, `${path} must be one of ${WIRE_GENDERS.join(', ')}`);
}

function readUrl(path: string, given: string | undefined): string | undefined {
  if (given === undefined || given === '') return undefined;
  if (
    given.length <= LONGEST_URL &&
    isPlainText(given) &&
    /^https?:\/\//i.test(given) &&
    URL.canParse(given)
  ) {
    return given;
  }
  throw new FieldError(path, `${path} must be an http or https URL of at most ${LONGEST_URL} characters`);
}

const BIRTHDATE = /^(\d{4})(?:-(\d{2})-(\d{2}))?$/;

/** A year alone, or a day that is in the calendar; the year 0000 means that it is omitted (OpenID Connect Core §5.1). */
function readBirthdate(path: string, given: string | undefined): string | undefined {
  if (given === undefined || given === '') return undefined;
  const [, year, month, day] = BIRTHDATE.exec(given) ?? [];
  if (year !== undefined && (month === undefined || isDay(Number(year), Number(month), Number(day)))) {
    return given;
  }
  throw new FieldError(path, `${path} must be YYYY-MM-DD or YYYY`);
}

function isDay(year: number, month: number, day: number): boolean {
  // the years 0 to 99 would be taken for 1900 to 1999; the calendar repeats after 400 years
  const date = new Date(Date.UTC(year + 400, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

const ZONE = /^[A-Za-z0-9_+\-/]{1,64}$/;

function readZone(path: string, given: string | undefined): string | undefined {
  if (given === undefined || given === '') return undefined;
  if (ZONE.test(given)) return given;
  throw new FieldError(path, `${path} must be a time zone such as Europe/Zurich`);
}
