import { describe, expect, it } from 'vitest';
import { readHumanRecord } from '../../../src/domain/imports/records/human-record.js';
import { readImportRecord } from '../../../src/domain/imports/records/import-record.js';
import { FieldError } from '../../../src/domain/imports/records/record-errors.js';
import { fromBase32, toBase32 } from '../../../src/domain/shared/base32.js';
import { ApiError } from '../../../src/domain/shared/errors.js';
import { Authenticator } from '../../support/authenticator.js';
import { minimalRecord } from './record.js';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const record = (changes: Record<string, unknown>): unknown =>
  readImportRecord({ ...minimalRecord(), ...changes }, NOW);

function refusal(read: () => unknown): { text: string; path: string | undefined } {
  try {
    read();
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'invalid-argument') {
      return { text: error.text, path: error instanceof FieldError ? error.path : undefined };
    }
    throw error;
  }
  throw new Error('the record was accepted');
}

const everything = {
  kind: 'human',
  userId: 'auth0|1',
  orgId: 'o1',
  state: 'locked',
  createdAt: '2019-03-04T05:06:07.5+02:00',
  totpSecret: 'jbsw y3dp ehpk 3pxp',
  metadata: { department: 'R&D' },
  userName: 'anna',
  profile: {
    firstName: 'Anna',
    lastName: 'Muster',
    middleName: 'B.',
    profile: 'https://example.ch/anna',
    picture: 'https://example.ch/anna.png',
    website: 'http://anna.example.ch',
    birthdate: '1990-01-31',
    zoneinfo: 'Europe/Zurich',
    address: {
      formatted: 'Weg 1\n8000 Zürich',
      streetAddress: 'Weg 1',
      locality: 'Zürich',
      region: 'ZH',
      postal_code: '8000',
      country: 'CH',
    },
  },
  email: { email: 'anna@example.ch', isEmailVerified: true },
};

describe('a record of a bulk file', () => {
  it('may have no first and last name beside a display name, which a call may not', () => {
    const human = minimalRecord({ profile: { displayName: 'anna' } });
    expect(record({ profile: { displayName: 'anna' } })).toMatchObject({
      human: { profile: { firstName: '', lastName: '', displayName: 'anna' } },
    });
    expect(() => readHumanRecord(human)).toThrow('FirstName');
    for (const profile of [
      {},
      { displayName: ' ' },
      { displayName: 'anna', firstName: '' },
      { displayName: 'a', lastName: 'b' },
    ]) {
      expect(refusal(() => record({ profile })).path).toBe('profile.firstName');
    }
  });

  it('brings along what a single import does not take', () => {
    expect(readImportRecord(everything, NOW)).toEqual({
      kind: 'human',
      userId: 'auth0|1',
      orgId: 'o1',
      state: 'locked',
      createdAt: new Date('2019-03-04T03:06:07.5Z'),
      factors: { totpSecret: 'JBSWY3DPEHPK3PXP', recoveryCodes: [], codeFactors: [] },
      passkeys: [],
      metadata: [{ key: 'department', value: Buffer.from('R&D') }],
      human: {
        userName: 'anna',
        profile: {
          firstName: 'Anna',
          lastName: 'Muster',
          middleName: 'B.',
          profile: 'https://example.ch/anna',
          picture: 'https://example.ch/anna.png',
          website: 'http://anna.example.ch',
          birthdate: '1990-01-31',
          zoneinfo: 'Europe/Zurich',
          address: {
            formatted: 'Weg 1\n8000 Zürich',
            streetAddress: 'Weg 1',
            locality: 'Zürich',
            region: 'ZH',
            postalCode: '8000',
            country: 'CH',
          },
        },
        email: { address: 'anna@example.ch', verified: true },
      },
    });
  });

  it('needs no more than a single import', () => {
    expect(readImportRecord(minimalRecord(), NOW)).toMatchObject({ kind: 'human', metadata: [] });
  });

  it('may be a service user', () => {
    const machine = { kind: 'machine', userName: 'robot', name: 'Robot', accessTokenType: 'jwt' };
    expect(readImportRecord(machine, NOW)).toEqual({ ...machine, metadata: [] });
    expect(refusal(() => readImportRecord({ ...machine, password: 'x' }, NOW)).path).toBe('password');
  });

  it('may be an element of dataOrgs, whose organization stands around it', () => {
    const user = { ...minimalRecord(), otpCode: 'JBSWY3DPEHPK3PXP' };
    const humanUser = { userId: 'u1', user, state: 'USER_STATE_INACTIVE' };
    expect(readImportRecord({ orgId: 'o1', humanUser }, NOW)).toMatchObject({
      kind: 'human',
      userId: 'u1',
      orgId: 'o1',
      state: 'inactive',
      factors: { totpSecret: 'JBSWY3DPEHPK3PXP', recoveryCodes: [], codeFactors: [] },
    });
    const machineUser = {
      userId: 'm1',
      user: { userName: 'robot', name: 'Robot', accessTokenType: 'ACCESS_TOKEN_TYPE_JWT' },
      state: 1,
    };
    expect(readImportRecord({ machineUser }, NOW)).toMatchObject({
      kind: 'machine',
      userId: 'm1',
      state: 'active',
      accessTokenType: 'jwt',
    });
  });

  it.each([
    [{ humanUser: { orgId: 'o2', user: minimalRecord() } }, 'orgId'],
    [{ humanUser: { user: { ...minimalRecord(), orgId: 'o2' } } }, 'user.orgId'],
    [{ humanUser: { user: minimalRecord() }, state: 'active' }, 'state'],
    [{ humanUser: {}, machineUser: {} }, 'machineUser'],
    [{ humanUser: { userId: 'u1' } }, 'userName'],
  ])('is no element of dataOrgs when a member is in the wrong place: %j', (value, path) => {
    expect(refusal(() => readImportRecord(value, NOW)).path).toBe(path);
  });

  it.each([
    [{ shoeSize: 42 }, 'shoeSize'],
    [{ profile: { ...everything.profile, nick: 'x' } }, 'profile.nick'],
    [{ profile: { ...everything.profile, address: { planet: 'x' } } }, 'profile.address.planet'],
    [{ kind: 'dog' }, 'kind'],
    [{ userId: 'with blank' }, 'userId'],
    [{ orgId: 'x'.repeat(201) }, 'orgId'],
    [{ state: 'USER_STATE_DELETED' }, 'state'],
    [{ state: 5 }, 'state'],
    [{ createdAt: '2026-11-21T12:00:01Z' }, 'createdAt'],
    [{ createdAt: 'yesterday' }, 'createdAt'],
    [{ createdAt: '2026-02-30' }, 'createdAt'],
    [{ totpSecret: 'not base32!' }, 'totpSecret'],
    [{ totpSecret: 'JBSWY3DP' }, 'totpSecret'],
    [{ otpCode: 'JBSWY3DP' }, 'otpCode'],
    [{ metadata: ['x'] }, 'metadata'],
    [{ metadata: { key: 1 } }, 'metadata'],
    [{ metadata: { 'a\nb': 'x' } }, 'metadata'],
    [{ metadata: { a: 'x'.repeat(500_000), b: 'x'.repeat(499_999) } }, 'metadata'],
    [{ metadata: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`k${n}`, 'x'])) }, 'metadata'],
    [{ idps: 'x' }, 'idps'],
    [{ idps: [{ configId: 'x' }] }, 'idps[0].externalUserId'],
    [{ recoveryCodes: 'x' }, 'recoveryCodes'],
    [{ recoveryCodes: ['x'] }, 'recoveryCodes[0]'],
    [{ recoveryCodes: [{ hash: 'x' }] }, 'recoveryCodes[0].hash'],
    [{ codeFactors: 'email' }, 'codeFactors'],
    [{ codeFactors: ['email', 'totp'] }, 'codeFactors'],
    [{ codeFactors: ['sms'] }, 'codeFactors'],
    [{ otpCode: 'otpauth://hotp/x?secret=JBSWY3DPEHPK3PXP&counter=1' }, 'otpCode'],
    [{ requestPasswordlessRegistration: true }, 'requestPasswordlessRegistration'],
    [{ userName: '' }, 'userName'],
    [{ email: { email: 'nobody' } }, 'email.email'],
    [{ phone: { phone: 'none' } }, 'phone.phone'],
    [{ hashedPassword: { value: 'plain' } }, 'hashedPassword.value'],
    [{ profile: { firstName: 'A\u202e', lastName: 'B' } }, 'profile.firstName'],
    [{ userName: 'a\u200f' }, 'userName'],
    [{ email: { email: '=?utf-8?q?x?=@mail.test' } }, 'email.email'],
    [
      { email: { email: 'a@mail.test', isEmailVerified: true, pendingEmail: '=?utf-8?q?x?=@mail.test' } },
      'email.pendingEmail',
    ],
    [{ profile: { ...everything.profile, website: 'javascript:alert(1)' } }, 'profile.website'],
    [{ profile: { ...everything.profile, birthdate: '31.1.1990' } }, 'profile.birthdate'],
    [{ profile: { ...everything.profile, zoneinfo: 'a b' } }, 'profile.zoneinfo'],
    [{ profile: { ...everything.profile, address: { formatted: 'a\0b' } } }, 'profile.address.formatted'],
  ])('is refused by the name of the field: %j', (changes, path) => {
    expect(refusal(() => record(changes)).path).toBe(path);
  });
});

describe('base32', () => {
  // RFC 4648 §10
  it.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('of %j', (text, encoded) => {
    expect(toBase32(Buffer.from(text))).toBe(encoded);
    expect(fromBase32(encoded)?.toString()).toBe(text);
  });

  it.each(['M', 'MZ1', 'MZXW6Y', 'MR'])('refuses %j, which nothing is encoded as', (text) => {
    expect(fromBase32(text)).toBeUndefined();
  });
});

describe('passkeys of a record', () => {
  const key = new Authenticator({ origin: 'https://id.test', rpId: 'id.test' });
  const passkey = (changes: Record<string, unknown> = {}) => key.exported(changes);

  it('are read with all that is kept of them', () => {
    const [read] = (
      record({
        passkeys: [
          passkey({
            signCount: 7,
            transports: ['usb', 'new-kind', 'internal'],
            createdAt: '2024-01-02T03:04:05Z',
            lastUsedAt: '2025-01-02T03:04:05.678Z',
          }),
        ],
      }) as { passkeys: object[] }
    ).passkeys;
    expect(read).toEqual({
      rpId: 'id.test',
      credentialId: key.credentialId,
      publicKey: key.publicKey,
      userHandle: Buffer.from(key.userHandle ?? '', 'base64url'),
      signCount: 7,
      transports: ['internal', 'usb'],
      name: 'Phone',
      passwordless: true,
      backupEligible: true,
      backedUp: true,
      createdAt: new Date('2024-01-02T03:04:05Z'),
      lastUsedAt: new Date('2025-01-02T03:04:05.678Z'),
      counterWentBackAt: undefined,
    });
    expect(record({ passkeys: null })).toMatchObject({ passkeys: [] });
  });

  it.each<[string, unknown, string]>([
    ['no list', {}, 'passkeys'],
    ['too many', Array.from({ length: 51 }, () => passkey()), 'passkeys'],
    ['no object', ['x'], 'passkeys[0]'],
    ['an unknown field', [passkey({ colour: 'red' })], 'passkeys[0].colour'],
    ['no relying party', [passkey({ rpId: undefined })], 'passkeys[0].rpId'],
    ['an address for one', [passkey({ rpId: 'https://id.test' })], 'passkeys[0].rpId'],
    ['no credential', [passkey({ credentialId: '' })], 'passkeys[0].credentialId'],
    ['base64', [passkey({ credentialId: 'ab+/' })], 'passkeys[0].credentialId'],
    ['a broken rest', [passkey({ credentialId: 'abcde' })], 'passkeys[0].credentialId'],
    [
      'a credential that is too long',
      [passkey({ credentialId: 'A'.repeat(1368) })],
      'passkeys[0].credentialId',
    ],
    ['a key that is none', [passkey({ publicKey: 'AAAA' })], 'passkeys[0].publicKey'],
    ['a handle that is too long', [passkey({ userHandle: 'A'.repeat(88) })], 'passkeys[0].userHandle'],
    ['a counter below nothing', [passkey({ signCount: -1 })], 'passkeys[0].signCount'],
    ['a counter in quotes', [passkey({ signCount: '7' })], 'passkeys[0].signCount'],
    ['a counter of more than four bytes', [passkey({ signCount: 2 ** 32 })], 'passkeys[0].signCount'],
    ['transports that are none', [passkey({ transports: 'usb' })], 'passkeys[0].transports'],
    ['no name', [passkey({ name: ' ' })], 'passkeys[0].name'],
    ['a name with a line break', [passkey({ name: 'a\nb' })], 'passkeys[0].name'],
    ['a copy of what cannot be copied', [passkey({ backupEligible: false })], 'passkeys[0].backedUp'],
    ['the future', [passkey({ createdAt: '2027-01-01T00:00:00Z' })], 'passkeys[0].createdAt'],
    ['one twice', [passkey(), passkey({ name: 'Again' })], 'passkeys[1].credentialId'],
  ])('are refused with %s', (_, passkeys, path) => {
    expect(refusal(() => record({ passkeys })).path).toBe(path);
  });

  it('are for files alone', () => {
    expect(refusal(() => readHumanRecord({ ...minimalRecord(), passkeys: [passkey()] })).path).toBe(
      'passkeys',
    );
  });
});
