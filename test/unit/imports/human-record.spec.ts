import { describe, expect, it } from 'vitest';
import { readHumanRecord } from '../../../src/domain/imports/records/human-record.js';
import { ApiError } from '../../../src/domain/shared/errors.js';
import { minimalRecord, PBKDF2 } from './record.js';

/** `text (id)` of the error, or undefined when the record is accepted. */
function refusal(value: unknown): string | undefined {
  try {
    readHumanRecord(value);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'invalid-argument') return error.message;
    throw error;
  }
}

const profile = (changes: Record<string, unknown>): Record<string, unknown> =>
  minimalRecord({ profile: { firstName: 'Anna', lastName: 'Muster', ...changes } });
const email = (address: unknown): Record<string, unknown> => minimalRecord({ email: { email: address } });
const phone = (number: unknown): Record<string, unknown> => minimalRecord({ phone: { phone: number } });
const hashed = (value: unknown): Record<string, unknown> => minimalRecord({ hashedPassword: { value } });

const RUNES = 'value length must be between 1 and 200 runes, inclusive';
const NESTED = 'embedded message failed validation | caused by: invalid ImportHumanUserRequest_';

/** As dear as bcrypt may be. */
const DEAR_HASH = '$2b$15$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW';

describe('a record that is accepted', () => {
  it('is read with every field of protocol §1.1', () => {
    expect(
      readHumanRecord({
        userName: ' anna.muster ',
        profile: {
          firstName: ' Anna ',
          lastName: 'Muster',
          nickName: 'Änni',
          displayName: 'Anna M.',
          preferredLanguage: 'de_ch',
          gender: 'GENDER_FEMALE',
        },
        email: { email: ' Anna@Example.CH ', isEmailVerified: true },
        phone: { phone: '079 123 45 67', isPhoneVerified: true },
        password: 'Passw0rd!',
        passwordChangeRequired: true,
      }),
    ).toEqual({
      userName: 'anna.muster',
      profile: {
        firstName: 'Anna',
        lastName: 'Muster',
        nickName: 'Änni',
        displayName: 'Anna M.',
        preferredLanguage: 'de-CH',
        gender: 'female',
      },
      email: { address: 'Anna@Example.CH', verified: true },
      phone: { number: '+41791234567', verified: true },
      password: { kind: 'plain', plain: 'Passw0rd!', changeRequired: true },
    });
  });

  it('may be in snake_case', () => {
    expect(
      readHumanRecord({
        user_name: 'anna',
        profile: { first_name: 'Anna', last_name: 'Muster', preferred_language: 'fr', nick_name: 'A' },
        email: { email: 'anna@example.ch', is_email_verified: true },
        phone: { phone: '+41791234567', is_phone_verified: true },
        hashed_password: { value: PBKDF2 },
        password_change_required: true,
      }),
    ).toMatchObject({
      userName: 'anna',
      profile: { firstName: 'Anna', lastName: 'Muster', preferredLanguage: 'fr', nickName: 'A' },
      email: { verified: true },
      phone: { verified: true },
      password: { kind: 'hash', hash: PBKDF2 },
    });
  });

  it('may have null, empty and false for what is not given', () => {
    const bare = readHumanRecord(minimalRecord());
    const nothing = { nickName: null, displayName: '', preferredLanguage: '', gender: null };
    expect(
      readHumanRecord({
        ...profile(nothing),
        phone: null,
        password: '',
        hashedPassword: null,
        passwordChangeRequired: null,
        requestPasswordlessRegistration: false,
        otpCode: '',
        idps: [],
        recoveryCodes: null,
      }),
    ).toEqual(bare);
    expect(bare).toEqual({
      userName: 'anna',
      profile: { firstName: 'Anna', lastName: 'Muster' },
      email: { address: 'anna@example.ch', verified: true },
    });
  });

  it('counts an e-mail and a phone as unverified unless they are marked', () => {
    const record = readHumanRecord({ ...email('anna@example.ch'), phone: { phone: '+41791234567' } });
    expect(record.email.verified).toBe(false);
    expect(record.phone?.verified).toBe(false);
  });

  it('takes the hash before a plain password, which then is not looked at, and ignores the old algorithm', () => {
    const record = readHumanRecord({
      ...minimalRecord({ password: 'x', passwordChangeRequired: true }),
      hashedPassword: { value: PBKDF2, algorithm: 'bcrypt' },
    });
    expect(record.password).toEqual({ kind: 'hash', hash: PBKDF2, scheme: 'pbkdf2-sha256', weak: false });
    expect(JSON.stringify(record)).not.toContain('changeRequired');
  });

  it('takes a hash under the floor with a mark (S150)', () => {
    const record = readHumanRecord(hashed(PBKDF2.replace('$27500$', '$1000$')));
    expect(record.password).toMatchObject({ weak: true });
  });

  it('keeps a plain password exactly as it came', () => {
    const record = readHumanRecord(minimalRecord({ password: '  Pa\u0308ss 1! ' }));
    expect(record.password).toMatchObject({ plain: '  Pa\u0308ss 1! ', changeRequired: false });
  });

  it.each([
    ['GENDER_UNSPECIFIED', undefined],
    ['GENDER_DIVERSE', 'diverse'],
    [0, undefined],
    [1, 'female'],
    [2, 'male'],
    [3, 'diverse'],
  ])('knows the gender %j', (gender, expected) => {
    expect(readHumanRecord(profile({ gender })).profile.gender).toBe(expected);
  });

  it.each([
    ['de', 'de'],
    ['EN-us', 'en-US'],
    ['zh_Hant', 'zh-Hant'],
    ['german', undefined],
    ['d', undefined],
    ['und', undefined],
    ['-', undefined],
    ['x\u0000y', undefined],
  ])('reads the language %j as %j', (preferredLanguage, expected) => {
    expect(readHumanRecord(profile({ preferredLanguage })).profile.preferredLanguage).toBe(expected);
  });

  it.each([
    ['044 668 18 00', '+41446681800'],
    ['0041 (0)44/668-18-00', '+41446681800'],
    ['+1 555 555 0100', '+15555550100'],
    ['+49 1512 3456789', '+4915123456789'],
  ])('reads the phone %j as %j', (given, number) => {
    expect(readHumanRecord(phone(given)).phone?.number).toBe(number);
  });

  it('counts length in characters, not in UTF-16 units', () => {
    expect(refusal(profile({ firstName: '😀'.repeat(200) }))).toBeUndefined();
    expect(refusal(minimalRecord({ userName: 'é'.repeat(200) }))).toBeUndefined();
  });

  it('keeps markup and metacharacters literally (S152, S156)', () => {
    const name = '<script>alert(1)</script>\'"; DROP TABLE users; -- *)(uid=*) {$ne: null}';
    const record = readHumanRecord({ ...profile({ firstName: name }), userName: name });
    expect(record.profile.firstName).toBe(name);
    expect(record.userName).toBe(name);
  });
});

describe('a record that is refused', () => {
  it.each([
    [
      'userName missing',
      minimalRecord({ userName: undefined }),
      `invalid ImportHumanUserRequest.UserName: ${RUNES}`,
    ],
    ['userName empty', minimalRecord({ userName: '' }), `invalid ImportHumanUserRequest.UserName: ${RUNES}`],
    [
      'userName blank',
      minimalRecord({ userName: '  ' }),
      `invalid ImportHumanUserRequest.UserName: ${RUNES}`,
    ],
    [
      'userName invisible',
      // a joiner may stand in a name, and alone it is none
      minimalRecord({ userName: '\u200D' }),
      `invalid ImportHumanUserRequest.UserName: ${RUNES}`,
    ],
    [
      'userName 201',
      minimalRecord({ userName: 'a'.repeat(201) }),
      `invalid ImportHumanUserRequest.UserName: ${RUNES}`,
    ],
    [
      'no profile',
      minimalRecord({ profile: null }),
      'invalid ImportHumanUserRequest.Profile: value is required',
    ],
    [
      'no email',
      minimalRecord({ email: undefined }),
      'invalid ImportHumanUserRequest.Email: value is required',
    ],
    [
      'no firstName',
      minimalRecord({ profile: { lastName: 'M' } }),
      `invalid ImportHumanUserRequest.Profile: ${NESTED}Profile.FirstName: ${RUNES}`,
    ],
    [
      'lastName of 201',
      profile({ lastName: 'ß'.repeat(201) }),
      `invalid ImportHumanUserRequest.Profile: ${NESTED}Profile.LastName: ${RUNES}`,
    ],
    ['firstName blank', profile({ firstName: '   ' }), 'First name in profile is empty (PROFILE-RF5z2)'],
    ['lastName blank', profile({ lastName: '\u00A0' }), 'Last name in profile is empty (PROFILE-DSUkN)'],
    [
      'nickName of 201',
      profile({ nickName: 'a'.repeat(201) }),
      `invalid ImportHumanUserRequest.Profile: ${NESTED}Profile.NickName: value length must be at most 200 runes`,
    ],
    [
      'preferredLanguage of 11',
      profile({ preferredLanguage: 'a'.repeat(11) }),
      `invalid ImportHumanUserRequest.Profile: ${NESTED}Profile.PreferredLanguage: value length must be at most 10 runes`,
    ],
    ['email empty', email(''), 'Email is empty (EMAIL-spblu)'],
    ['email absent', minimalRecord({ email: {} }), 'Email is empty (EMAIL-spblu)'],
    [
      'email of 201',
      email(`${'a'.repeat(197)}@b.c`),
      `invalid ImportHumanUserRequest.Email: ${NESTED}Email.Email: ${RUNES}`,
    ],
    ['email invalid', email('anna'), 'Email is invalid (EMAIL-599BI)'],
    ['email with a display name', email('Anna <anna@example.ch>'), 'Email is invalid (EMAIL-599GV)'],
    ['phone invalid', phone('abc'), 'Phone is invalid (PHONE-so0wa)'],
    [
      'phone empty',
      phone(''),
      `invalid ImportHumanUserRequest.Phone: ${NESTED}Phone.Phone: value length must be between 1 and 50 runes, inclusive`,
    ],
    [
      'phone of 51',
      phone('1'.repeat(51)),
      `invalid ImportHumanUserRequest.Phone: ${NESTED}Phone.Phone: value length must be between 1 and 50 runes, inclusive`,
    ],
    [
      'idps without a subject',
      minimalRecord({ idps: [{ configId: '1' }] }),
      'idps[0]: externalUserId must have 1 to 255 characters without controls',
    ],
    [
      'idps twice',
      minimalRecord({
        idps: [
          { configId: '1', externalUserId: 'a' },
          { configId: '1', externalUserId: 'a', displayName: 'b' },
        ],
      }),
      'the record has the identity twice',
    ],
    [
      'too many idps',
      minimalRecord({
        idps: Array.from({ length: 21 }, (_, n) => ({ configId: '1', externalUserId: `${n}` })),
      }),
      'idps must have at most 20 entries',
    ],
    [
      'otpCode',
      minimalRecord({ otpCode: 'ABC' }),
      'otpCode must be base32 of 10 to 64 bytes, or an otpauth://totp address with such a secret',
    ],
    [
      'recovery codes',
      minimalRecord({ recovery_codes: ['a'] }),
      'recoveryCodes[0] must be {"raw": …} or {"hash": …} with 1 to 200 characters',
    ],
    [
      'a recovery code that is two',
      minimalRecord({ recoveryCodes: [{ raw: 'a', hash: 'b' }] }),
      'recoveryCodes[0] must be {"raw": …} or {"hash": …} with 1 to 200 characters',
    ],
    [
      'a recovery code of nothing',
      minimalRecord({ recoveryCodes: [{ raw: ' - ' }] }),
      'recoveryCodes[0].raw must have letters or digits',
    ],
    [
      'eleven recovery codes',
      minimalRecord({ recoveryCodes: Array.from({ length: 11 }, (_, n) => ({ raw: `code-${n}` })) }),
      'recoveryCodes must have at most 10 entries',
    ],
    [
      'recovery codes that cost more together than one hash may',
      minimalRecord({ recoveryCodes: Array.from({ length: 10 }, () => ({ hash: DEAR_HASH })) }),
      'recoveryCodes have hashes that cost too much together',
    ],
    [
      'codes by SMS without a number',
      minimalRecord({ codeFactors: ['email', 'sms'] }),
      'codeFactors has sms, and the record has no phone number',
    ],
    ['idps of another type', minimalRecord({ idps: {} }), 'idps must be a list'],
    [
      'text flag',
      minimalRecord({ email: { email: 'a@b.ch', isEmailVerified: 'true' } }),
      'email.isEmailVerified must be true or false',
    ],
    [
      'number flag',
      minimalRecord({ phone: { phone: '1', isPhoneVerified: 1 } }),
      'phone.isPhoneVerified must be true or false',
    ],
    ['number for text', minimalRecord({ userName: 5 }), 'userName must be a string'],
    ['list for object', minimalRecord({ profile: [] }), 'profile must be an object'],
    ['text for object', minimalRecord({ hashedPassword: PBKDF2 }), 'hashedPassword must be an object'],
    [
      'unknown gender',
      profile({ gender: 'GENDER_X' }),
      'profile.gender must be one of GENDER_UNSPECIFIED, GENDER_FEMALE, GENDER_MALE, GENDER_DIVERSE',
    ],
    [
      'both spellings',
      minimalRecord({ user_name: 'anna' }),
      'field "userName" is given twice, also as "user_name"',
    ],
    [
      'both spellings inside',
      profile({ first_name: null }),
      'field "profile.firstName" is given twice, also as "profile.first_name"',
    ],
  ])('%s', (_name, value, message) => {
    expect(refusal(value)).toBe(message);
  });

  it.each([4, -1, 1.5, Number.NaN, '1', 'female', true, ['GENDER_MALE'], 'length'])('gender %j', (gender) => {
    expect(refusal(profile({ gender }))).toContain('profile.gender must be one of');
  });

  it.each([null, undefined, [], 'text', 5, true])('%j in place of the record', (value) => {
    expect(refusal(value)).toBe('the record must be a JSON object');
  });

  it('an encoded hash that breaks a rule, by the name of the rule', () => {
    expect(refusal(hashed('$plain$password'))).toMatch(
      /unknown-scheme: allowed are .*pbkdf2-sha256.*\(CRYPT-2xK7d\)$/,
    );
    expect(refusal(hashed(PBKDF2.replace('27500', '2000001')))).toMatch(/cost-too-high: .*\(CRYPT-5uV9n\)$/);
    expect(refusal(hashed(PBKDF2.replace('27500', '07')))).toMatch(/bad-cost: .*\(CRYPT-r8Qm2\)$/);
  });

  it('a hashedPassword without its value, rather than importing a user without a password', () => {
    expect(refusal(hashed(''))).toContain('CRYPT-2xK7d');
    expect(refusal(minimalRecord({ hashedPassword: { algorithm: 'bcrypt' } }))).toContain('CRYPT-2xK7d');
  });
});

describe('unknown fields (S144)', () => {
  it.each([
    ['roles', minimalRecord({ roles: ['IAM_OWNER'] })],
    ['isAdmin', minimalRecord({ isAdmin: true })],
    ['state', minimalRecord({ state: null })],
    ['userId', minimalRecord({ userId: '1' })],
    ['profile.frstName', profile({ frstName: 'Anna' })],
    ['email.verified', minimalRecord({ email: { email: 'a@b.ch', verified: true } })],
    ['hashedPassword.algo', minimalRecord({ hashedPassword: { value: PBKDF2, algo: 'x' } })],
    ['username', minimalRecord({ username: 'anna' })],
    ['user__name', minimalRecord({ user__name: 'anna' })],
  ])('%s is named', (name, value) => {
    expect(refusal(value)).toBe(`unknown field "${name}"`);
  });

  it('come before other faults, since they explain them', () => {
    expect(refusal({ profile: { frstName: 'Anna' } })).toBe('unknown field "profile.frstName"');
  });

  it('are named up to five', () => {
    expect(refusal({ a: 1, profile: { b: 1 } })).toBe('unknown fields "a", "profile.b"');
    expect(refusal({ a: 1, b: 1, c: 1, d: 1, e: 1 })).toBe('unknown fields "a", "b", "c", "d", "e"');
    expect(refusal({ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 })).toBe(
      'unknown fields "a", "b", "c", "d", "e" and more',
    );
  });

  it('are shown cut, and without quotes, controls or direction marks', () => {
    expect(refusal({ ['x'.repeat(60_000)]: 1 })).toBe(`unknown field "${'x'.repeat(60)}…"`);
    expect(refusal({ 'a"\r\n\u202Eb\ud800': 1 })).toBe('unknown field "a????b?"');
  });
});
