import { readEmailAddress } from '../../domain/imports/records/email-address.js';
import {
  LONGEST_LANGUAGE,
  readProfile,
  type ProfileFields,
} from '../../domain/imports/records/human-profile.js';
import { readUserName } from '../../domain/imports/records/human-record.js';
import { phoneNumberOf } from '../../domain/imports/records/phone-number.js';
import { FieldError } from '../../domain/imports/records/record-errors.js';
import { readExternalId } from '../../domain/scim/external-id.js';
import type { ProvisionedUser, WantedProfile, WantedUser } from '../../domain/scim/provisioned-user.js';
import { ApiError } from '../../domain/shared/errors.js';
import { isEmailAddress } from '../../domain/users/email-address.js';
import { ScimError } from '../shared/scim-errors.js';
import { attributeNamed, isObject, readResource, type Value, type Values } from './attributes.js';
import { locationOf } from './location.js';
import { itemsOf } from './patch.js';
import { COMMON, USER_ATTRIBUTES, USER_SCHEMA } from './user-attributes.js';

/** What of a user a directory may write: `id`, `meta` and `groups` are the service's. */
export const WRITTEN = [...COMMON.filter(({ name }) => name === 'externalId'), ...USER_ATTRIBUTES];

/** The part of a resource that a directory writes, as a user has it now. */
export function written({ user, userName, externalId }: ProvisionedUser): Values {
  const { profile, email, phone, state } = user;
  const { firstName, lastName, middleName, displayName, nickName, preferredLanguage, zoneinfo, address } =
    profile;
  const name = present({
    familyName: lastName || undefined,
    givenName: firstName || undefined,
    middleName,
  });
  return {
    ...(externalId !== null && { externalId }),
    userName,
    ...(Object.keys(name).length > 0 && { name }),
    ...present({ displayName, nickName, profileUrl: profile.profile, preferredLanguage, timezone: zoneinfo }),
    active: state !== 'inactive',
    emails: [{ value: email.address, type: 'work', primary: true }],
    ...(phone && { phoneNumbers: [{ value: phone.number, type: 'mobile', primary: true }] }),
    ...(address && { addresses: [{ ...present(address), type: 'work', primary: true }] }),
  };
}

/** As it is answered. @param base of `scimBase` */
export function userResource(seen: ProvisionedUser, base: string, groupId: (key: string) => string): Values {
  const { id, details } = seen.user;
  const groups = seen.groups.map(({ key, displayName }) => ({
    value: groupId(key),
    $ref: locationOf(base, 'Groups', groupId(key)),
    display: displayName,
  }));
  return {
    schemas: [USER_SCHEMA] as unknown as Value,
    id,
    ...written(seen),
    ...(groups.length > 0 && { groups }),
    meta: {
      resourceType: 'User',
      created: details.createdAt.toISOString(),
      lastModified: details.changedAt.toISOString(),
      location: locationOf(base, 'Users', id),
      version: tag(details.sequence),
    },
  };
}

/** RFC 7644 §3.14: weak, since the same version can be written in more than one way. */
export function tag(version: string): string {
  return `W/"${version}"`;
}

/** A body of POST or PUT. */
export function readUser(body: unknown): Values {
  return readResource(WRITTEN, body);
}

/**
 * What a resource asks for.
 *
 * @param now what is kept where it says nothing
 * @param removesPhone whether a number is asked to go, and not only left out
 * @throws ScimError, ApiError invalid-argument
 */
export function wantedUser(resource: Values, now?: ProvisionedUser, removesPhone = false): WantedUser {
  const userName = readUserName(textOf(resource, 'userName') ?? now?.userName);
  const profile = profileOf(resource, userName);
  const active = resource['active'];
  return {
    userName,
    externalId: readExternalId(textOf(resource, 'externalId')),
    profile,
    email: emailOf(resource, userName, now),
    phone: phoneOf(resource) ?? (removesPhone ? null : undefined),
    active: typeof active === 'boolean' ? active : undefined,
    password: textOf(resource, 'password') || undefined,
  };
}

function profileOf(resource: Values, userName: string): WantedProfile {
  const name = isObject(resource['name']) ? resource['name'] : {};
  const [given, family] = [textOf(name, 'givenName'), textOf(name, 'familyName')];
  const both = [given, family].filter((part) => part !== undefined).join(' ');
  const displayName = textOf(resource, 'displayName') ?? (both === '' ? userName : both);
  const { type: _, primary: __, ...address } = chosen(itemsOf(resource['addresses'])) ?? {};
  // a wish, for which nobody is refused
  const language = textOf(resource, 'preferredLanguage') ?? '';
  const fields = {
    // one of the two is enough for a directory, and the rules of names hold for it
    firstName: given ?? family,
    lastName: family ?? given,
    displayName,
    middleName: textOf(name, 'middleName'),
    nickName: textOf(resource, 'nickName'),
    preferredLanguage: language.length > LONGEST_LANGUAGE ? undefined : language,
    profile: textOf(resource, 'profileUrl'),
    zoneinfo: textOf(resource, 'timezone'),
    address,
  };
  const read = readProfile(fields as unknown as ProfileFields, { prefix: '', broken });
  const { middleName, nickName, preferredLanguage, profile, zoneinfo, address: lives } = read;
  return {
    firstName: given === undefined ? '' : read.firstName,
    lastName: family === undefined ? '' : read.lastName,
    displayName: read.displayName ?? displayName,
    middleName,
    nickName,
    preferredLanguage,
    profile,
    zoneinfo,
    address: lives,
  };
}

function broken(path: string, rule: string): Error {
  return new FieldError(path, `${path} ${rule}`);
}

/** An address that is no name stays where a directory says nothing of it; a new user signs in by one of the two. */
function emailOf(resource: Values, userName: string, now?: ProvisionedUser): string {
  const address = textOf(chosen(itemsOf(resource['emails'])) ?? {}, 'value');
  if (address !== undefined) return readEmailAddress(address);
  if (now !== undefined) return now.user.email.address;
  if (isEmailAddress(userName)) return userName;
  throw new ApiError('invalid-argument', 'emails is required where userName is no e-mail address');
}

/**
 * The kind that takes a message; a number that cannot be dialled from abroad is no reason to refuse a user. Without a country
 * code it is none: a directory is not in Switzerland because the service is.
 */
function phoneOf(resource: Values): string | undefined {
  const numbers = itemsOf(resource['phoneNumbers']);
  const typeOf = (item: Values): string | undefined => textOf(item, 'type')?.toLowerCase();
  const one =
    numbers.find((item) => typeOf(item) === 'mobile') ?? numbers.find((item) => typeOf(item) === undefined);
  const text = textOf(one ?? {}, 'value')
    ?.trim()
    .replace(/^tel:/i, '');
  return text?.startsWith('+') === true ? phoneNumberOf(text) : undefined;
}

/** RFC 7643 §2.4: the primary one; without one, the type decides. */
function chosen(items: readonly Values[]): Values | undefined {
  const isWork = (item: Values): boolean => textOf(item, 'type')?.toLowerCase() === 'work';
  return items.find((item) => item['primary'] === true) ?? items.find(isWork) ?? items[0];
}

function textOf(values: Values, name: string): string | undefined {
  const value = values[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new ScimError('invalidValue', `${attributeNamed(WRITTEN, name)?.name ?? name} must be a string`);
}

function present(values: Readonly<Record<string, string | undefined>>): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
