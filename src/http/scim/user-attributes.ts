import { attribute, type Attribute } from './attributes.js';

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';

const value = (description: string) => attribute('value', description);
const primary = attribute('primary', 'Whether it is the one to be used first.', { type: 'boolean' });
const type = (...canonicalValues: readonly string[]) =>
  attribute('type', 'What it is for.', { canonicalValues });

/** RFC 7643 §3.1: what every resource has. */
export const COMMON: readonly Attribute[] = [
  attribute('id', 'Given by the service, and never used again.', {
    caseExact: true,
    mutability: 'readOnly',
    returned: 'always',
    uniqueness: 'server',
  }),
  attribute('externalId', 'What the directory calls it; unique in the organization.', { caseExact: true }),
  attribute('meta', 'When it was made and changed, and where it is.', {
    mutability: 'readOnly',
    subAttributes: [
      attribute('resourceType', 'What it is.', { caseExact: true, mutability: 'readOnly' }),
      attribute('created', 'When it was made.', { type: 'dateTime', mutability: 'readOnly' }),
      attribute('lastModified', 'When it was changed.', { type: 'dateTime', mutability: 'readOnly' }),
      attribute('location', 'Where it is read.', {
        type: 'reference',
        referenceTypes: ['uri'],
        mutability: 'readOnly',
      }),
      attribute('version', 'What If-Match takes.', { caseExact: true, mutability: 'readOnly' }),
    ],
  }),
];

/** What `/Schemas` describes of a user (RFC 7643 §4.1): what is kept, and no more. */
export const USER_ATTRIBUTES: readonly Attribute[] = [
  attribute('userName', 'The name to sign in with, unique in the organization.', {
    required: true,
    uniqueness: 'server',
  }),
  attribute('name', 'What the person is called, in parts.', {
    subAttributes: [
      attribute('familyName', 'The last name.'),
      attribute('givenName', 'The first name.'),
      attribute('middleName', 'What stands between them.'),
    ],
  }),
  attribute('displayName', 'What the person is shown by; without one, first and last name.'),
  attribute('nickName', 'What the person is called by friends.'),
  attribute('profileUrl', 'The page of the person.', { type: 'reference', referenceTypes: ['external'] }),
  attribute(
    'preferredLanguage',
    'The language of pages and mails, as a BCP 47 tag. What is none is passed over.',
    {
      canonicalValues: ['de', 'de-CH', 'en', 'fr', 'it'],
    },
  ),
  attribute('timezone', 'The time zone.', { canonicalValues: ['Europe/Berlin', 'Europe/Zurich', 'UTC'] }),
  attribute('active', 'False ends all sessions and tokens at once, and lets nobody in.', { type: 'boolean' }),
  attribute('password', 'In plain text; held against the password policy. Never read.', {
    caseExact: true,
    mutability: 'writeOnly',
    returned: 'never',
  }),
  attribute('emails', 'One is kept: the primary one, or that of type work, or the first.', {
    multiValued: true,
    required: true,
    subAttributes: [attribute('value', 'The address.', { required: true }), type('work'), primary],
  }),
  attribute(
    'phoneNumbers',
    'One is kept, where it is a number with country code: that of type mobile, or without type.',
    {
      multiValued: true,
      subAttributes: [value('The number.'), type('mobile'), primary],
    },
  ),
  attribute('addresses', 'One is kept: the primary one, or that of type work, or the first.', {
    multiValued: true,
    subAttributes: [
      attribute('formatted', 'All of it, in lines.'),
      attribute('streetAddress', 'Street and number.'),
      attribute('locality', 'The city.'),
      attribute('region', 'The state or canton.'),
      attribute('postalCode', 'The postal code.'),
      attribute('country', 'The country.'),
      type('work'),
      primary,
    ],
  }),
  attribute('groups', 'The groups that the user is in; changed at the groups.', {
    multiValued: true,
    mutability: 'readOnly',
    subAttributes: [
      attribute('value', 'The id of the group.', { mutability: 'readOnly' }),
      attribute('$ref', 'Where it is read.', {
        type: 'reference',
        referenceTypes: ['Group'],
        mutability: 'readOnly',
      }),
      attribute('display', 'What it is called.', { mutability: 'readOnly' }),
    ],
  }),
];

export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';

/** RFC 7643 §4.2 */
export const GROUP_ATTRIBUTES: readonly Attribute[] = [
  attribute('displayName', 'What the role is called. Its key is made of it and stays.', { required: true }),
  attribute('members', 'Who has the role.', {
    multiValued: true,
    subAttributes: [
      attribute('value', 'The id of the user.', { caseExact: true, mutability: 'immutable' }),
      attribute('$ref', 'Where the user is read.', {
        type: 'reference',
        referenceTypes: ['User'],
        mutability: 'immutable',
      }),
      attribute('type', 'Always User: groups do not hold groups.', {
        canonicalValues: ['User'],
        mutability: 'immutable',
      }),
    ],
  }),
];
