import { describe, expect, it } from 'vitest';
import { patched } from '../../../src/http/scim/patch.js';
import { USER_SCHEMA } from '../../../src/http/scim/user-attributes.js';
import { WRITTEN } from '../../../src/http/scim/user-resource.js';

// A directory sends what RFC 7643 §4.1 and §4.3 define, whether we keep it or not; one refused path would refuse the whole PATCH.

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const USER = {
  userName: 'ada',
  active: true,
  emails: [{ value: 'ada@corp.test', type: 'work', primary: true }],
  phoneNumbers: [{ value: '+41791234567', type: 'mobile', primary: true }],
};

/** Each sends a value of its kind, so that what is read of it would show. */
const NOT_KEPT: readonly (readonly [path: string, value: unknown])[] = [
  ['schemas', [USER_SCHEMA]],
  ['title', 'Countess'],
  ['userType', 'Employee'],
  ['locale', 'en-US'],
  [`${USER_SCHEMA}:locale`, 'en-US'],
  ['LOCALE', 'en-US'],
  ['ims', [{ value: 'ada', type: 'xmpp' }]],
  ['ims[type eq "xmpp"].value', 'ada'],
  ['photos', [{ value: 'https://corp.test/ada.png', type: 'photo' }]],
  ['photos[type eq "thumbnail"].value', 'https://corp.test/ada.png'],
  ['entitlements', [{ value: 'admin' }]],
  ['roles', [{ value: 'admin' }]],
  ['roles[primary eq "True"].value', 'admin'],
  ['x509Certificates', [{ value: 'MIIB' }]],
  ['name.formatted', 'Ada, Countess of Lovelace'],
  ['name.honorificPrefix', 'Lady'],
  ['name.honorificSuffix', 'III'],
  [`${USER_SCHEMA}:name.honorificPrefix`, 'Lady'],
  ['emails.display', 'Ada'],
  ['emails[type eq "work"].display', 'Ada'],
  ['emails[type eq "other"].display', 'Ada'],
  ['phoneNumbers.display', '079'],
  ['phoneNumbers[type eq "mobile"].display', '079'],
  ['addresses[type eq "work"].display', 'home'],
  [ENTERPRISE, { department: 'Engines', manager: { value: '26118915' } }],
  [`${ENTERPRISE}:employeeNumber`, '7'],
  [`${ENTERPRISE}:costCenter`, '4130'],
  [`${ENTERPRISE}:organization`, 'Analytical'],
  [`${ENTERPRISE}:division`, 'Engines'],
  [`${ENTERPRISE}:department`, 'Engines'],
  [`${ENTERPRISE}:manager`, '26118915'],
  [`${ENTERPRISE}:manager.displayName`, 'Charles'],
];

const KEPT: readonly (readonly [path: string, value: unknown])[] = [
  ['externalId', 'e-7'],
  ['userName', 'countess'],
  ['name.familyName', 'King'],
  ['name.givenName', 'Augusta'],
  ['name.middleName', 'Byron'],
  ['displayName', 'Augusta'],
  ['nickName', 'Gus'],
  ['profileUrl', 'https://corp.test/ada'],
  ['preferredLanguage', 'de'],
  ['timezone', 'Europe/Zurich'],
  ['password', 'Seven-Tulips-of-1637!'],
  ['emails[type eq "work"].value', 'king@corp.test'],
  ['phoneNumbers[type eq "mobile"].value', '+41797654321'],
  ['addresses[type eq "work"].formatted', 'Bern'],
  ['addresses[type eq "work"].streetAddress', 'Bundesplatz 3'],
  ['addresses[type eq "work"].locality', 'Bern'],
  ['addresses[type eq "work"].region', 'BE'],
  ['addresses[type eq "work"].postalCode', '3003'],
  ['addresses[type eq "work"].country', 'CH'],
];

const REFUSED = [
  'shoeSize',
  'name.shoe',
  'name.formatted.first',
  'name[type eq "work"].formatted',
  'name.display',
  'displayName.locale',
  'emails.honorificPrefix',
  'emails.display.first',
];

function userAfter(...operations: Parameters<typeof patched>[1]): ReturnType<typeof patched> {
  return patched(USER, operations, WRITTEN, USER_SCHEMA);
}

describe('the paths of a PATCH', () => {
  it.each(NOT_KEPT)('pass over %s, and the rest is done', (path, value) => {
    const off = { op: 'replace', path: 'active', value: false } as const;
    const expected = { ...USER, active: false };
    expect(userAfter({ op: 'replace', path, value }, off)).toEqual(expected);
    expect(userAfter({ op: 'add', path, value }, off)).toEqual(expected);
    expect(userAfter({ op: 'remove', path, value: undefined }, off)).toEqual(expected);
    const unnamed = { op: 'replace', path: undefined, value: { active: false, [path]: value } } as const;
    expect(userAfter(unnamed)).toEqual(expected);
  });

  it.each(KEPT)('lead to %s', (path, value) => {
    expect(userAfter({ op: 'replace', path, value })).not.toEqual(USER);
  });

  it.each(REFUSED)('are refused where no attribute is meant: %s', (path) => {
    expect(() => userAfter({ op: 'replace', path, value: 'x' })).toThrow(
      expect.objectContaining({ scimType: 'invalidPath' }),
    );
  });
});

describe('values that a PATCH takes away', () => {
  const phones = (...operations: Parameters<typeof patched>[1]) => userAfter(...operations)['phoneNumbers'];

  it('are all where none is named, those that are named, and none of an empty list', () => {
    const remove = (value: unknown) => phones({ op: 'remove', path: 'phoneNumbers', value });
    expect(remove(undefined)).toBeUndefined();
    expect(remove([])).toEqual(USER.phoneNumbers);
    expect(remove([{ type: 'home' }])).toEqual(USER.phoneNumbers);
    expect(remove([{ value: '+41790000000' }])).toEqual(USER.phoneNumbers);
    expect(remove([{ type: 'mobile' }])).toEqual([]);
    expect(remove([{ value: '+41791234567' }])).toEqual([]);
  });
});

it('one address that becomes primary is the only one (RFC 7644 §3.5.2)', () => {
  const value = { value: 'ada@home.test', primary: true };
  const { emails } = userAfter({ op: 'add', path: 'emails[type eq "other"]', value: [value] });
  expect(emails).toEqual([
    { value: 'ada@corp.test', type: 'work', primary: false },
    { ...value, type: 'other' },
  ]);
});
