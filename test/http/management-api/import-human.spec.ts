import { describe, expect, it } from 'vitest';
import { CheckPassword } from '../../../src/domain/passwords/check-password.js';
import type { UserId } from '../../../src/domain/shared/ids.js';
import { startTestApi } from '../../support/api.js';
import { errorBody } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { TEST_BILL } from '../../support/hashing.js';
import { HASH, importHuman, record } from '../../support/human-records.js';
import { aServiceUser } from '../../support/service-users.js';
import { TWILIO } from '../../support/sms.js';
import { anOrganization, useWorld } from '../../support/world.js';

const { api, world } = useWorld();
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));

const send = (body: unknown) => importHuman(api, owner.pat, body);

async function imported(body: unknown): Promise<string> {
  const response = await send(body);
  expect(response.statusCode, response.body).toBe(200);
  return response.json<{ userId: string }>().userId;
}

async function read(userId: string): Promise<Record<string, unknown>> {
  const response = await owner.call('GET', `users/${userId}`);
  expect(response.statusCode).toBe(200);
  return response.json<{ user: Record<string, unknown> }>().user;
}

async function rows(sql: string, ...values: unknown[]): Promise<Record<string, unknown>[]> {
  return (await api.sql.query<Record<string, unknown>>(sql, values)).rows;
}

async function expectRefusal(body: unknown, expected: object, status = 400): Promise<void> {
  const [before] = await rows('SELECT count(*) FROM users');
  const response = await send(body);
  expect(response.statusCode).toBe(status);
  expect(response.json()).toEqual(expected);
  expect((await rows('SELECT count(*) FROM users'))[0]).toEqual(before);
}

describe('a record with everything', () => {
  it('is kept and read back at once', async () => {
    const body = record({
      userName: ' Grace.Full ',
      profile: {
        firstName: 'Grace',
        lastName: "O'Hopper; DROP TABLE users",
        nickName: 'gh',
        displayName: 'Amazing <b>Grace</b>',
        preferredLanguage: 'de_ch',
        gender: 'GENDER_FEMALE',
      },
      email: { email: ' Grace@Mail.Test ', isEmailVerified: true },
      phone: { phone: '079 123 45 67', isPhoneVerified: true },
      requestPasswordlessRegistration: false,
      otpCode: '',
      idps: [],
      recoveryCodes: [],
    });
    const response = await send(body);
    expect(response.statusCode).toBe(200);
    const { userId } = response.json<{ userId: string }>();
    expect(userId).toMatch(/^\d{15,20}$/);
    expect(response.json()).toEqual({
      userId,
      details: {
        sequence: '1',
        creationDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
        resourceOwner: world.orgId,
      },
    });
    expect(await read(userId)).toEqual({
      id: userId,
      details: {
        sequence: '1',
        creationDate: expect.any(String) as string,
        changeDate: expect.any(String) as string,
        resourceOwner: world.orgId,
      },
      state: 'USER_STATE_ACTIVE',
      userName: 'Grace.Full',
      loginNames: [`Grace.Full@${world.domain}`],
      preferredLoginName: `Grace.Full@${world.domain}`,
      human: {
        profile: {
          firstName: 'Grace',
          lastName: "O'Hopper; DROP TABLE users",
          nickName: 'gh',
          displayName: 'Amazing <b>Grace</b>',
          preferredLanguage: 'de-CH',
          gender: 'GENDER_FEMALE',
        },
        email: { email: 'Grace@Mail.Test', isEmailVerified: true },
        phone: { phone: '+41791234567', isPhoneVerified: true },
      },
    });
  });

  it('may be written in snake_case, with numbers for enums and a legacy algorithm', async () => {
    const userId = await imported({
      user_name: 'snake',
      profile: { first_name: 'Ada', last_name: 'Lovelace', gender: 3, display_name: null },
      email: { email: 'snake@mail.test', is_email_verified: true },
      hashed_password: { value: HASH, algorithm: 'bcrypt' },
    });
    expect(await read(userId)).toMatchObject({
      userName: 'snake',
      human: { profile: { displayName: 'Ada Lovelace', gender: 'GENDER_DIVERSE' } },
    });
  });

  it('leaves zero values out when it is read', async () => {
    const userId = await imported(
      record({ email: { email: 'zero@mail.test' }, phone: { phone: '+41791234567' } }),
    );
    const { human } = await read(userId);
    expect(human).toEqual({
      profile: { firstName: 'Ada', lastName: 'Lovelace', displayName: 'Ada Lovelace' },
      email: { email: 'zero@mail.test' },
      phone: { phone: '+41791234567' },
    });
  });

  it('tells the audit log names of fields, never what is in them', async () => {
    const body = record({ phone: { phone: '+41791234567', isPhoneVerified: true } });
    const userId = await imported(body);
    const events = await rows('SELECT * FROM events WHERE aggregate_id = $1', userId);
    expect(events).toMatchObject([
      {
        type: 'user.human.imported',
        org_id: world.orgId,
        actor_id: owner.userId,
        sequence: '1',
        fields: ['userName', 'email', 'phone', 'password', 'displayName', 'firstName', 'lastName'],
        data: { state: 'active', passwordScheme: 'pbkdf2-sha256', passwordWeak: false },
      },
    ]);
    const text = JSON.stringify(events);
    for (const secret of [HASH, 'mail.test', '41791234567', 'Lovelace', String(body['userName'])]) {
      expect(text).not.toContain(secret);
    }
  });
});

describe('state, mails and SMS (S151)', () => {
  const verified = { isEmailVerified: true };
  const plain = { hashedPassword: undefined, password: 'Marker-Passw0rd!' };
  const none = { hashedPassword: undefined };

  it.each([
    ['verified, hash', verified, {}, 'USER_STATE_ACTIVE', undefined],
    ['verified, password', verified, plain, 'USER_STATE_ACTIVE', undefined],
    ['verified, neither', verified, none, 'USER_STATE_INITIAL', 'initialise'],
    ['unverified, hash', {}, {}, 'USER_STATE_ACTIVE', 'verify_email'],
    ['unverified, password', {}, plain, 'USER_STATE_ACTIVE', 'verify_email'],
    ['unverified, neither', {}, none, 'USER_STATE_INITIAL', 'initialise'],
  ])('%s', async (_, email, changes, state, template) => {
    const body = record(changes);
    const address = (body['email'] as { email: string }).email;
    const userId = await imported({ ...body, email: { email: address, ...email } });
    expect(await read(userId)).toMatchObject({ state });

    const notifications = await rows(
      `SELECT n.id, n.template, n.channel, n.state, n.content_sealed IS NOT NULL AS sealed, n.code_id, o.queue,
         o.job_name, o.payload, o.lane
       FROM notifications n LEFT JOIN outbox o ON o.id = n.outbox_id WHERE n.user_id = $1`,
      userId,
    );
    const codes = await rows(
      `SELECT id, purpose, target, attempts, ended_at, round(extract(epoch FROM expires_at - created_at)) AS seconds
       FROM verification_codes WHERE user_id = $1`,
      userId,
    );
    if (template === undefined) {
      expect(notifications).toEqual([]);
      expect(codes).toEqual([]);
      return;
    }
    expect(notifications).toEqual([
      {
        id: expect.any(String) as string,
        template,
        channel: 'email',
        state: 'pending',
        sealed: true,
        code_id: codes[0]?.['id'],
        queue: 'notifications',
        job_name: 'send-notification',
        payload: { notificationId: notifications[0]?.['id'] },
        lane: 'normal',
      },
    ]);
    expect(codes).toMatchObject([
      {
        purpose: template,
        target: address,
        attempts: 0,
        ended_at: null,
        seconds: template === 'initialise' ? '259200' : '600',
      },
    ]);
  });

  it('makes names to sign in with: the user name, and the e-mail once it is verified', async () => {
    const names = (userId: string) =>
      rows('SELECT kind, canonical FROM login_identifiers WHERE user_id = $1 ORDER BY kind', userId);
    const sure = await imported(
      record({ userName: 'Straße', email: { email: 'Straße@Mail.Test', isEmailVerified: true } }),
    );
    expect(await names(sure)).toEqual([
      { kind: 'email', canonical: 'strasse@mail.test' },
      { kind: 'user_name', canonical: 'strasse' },
    ]);
    const unsure = await imported(record({ userName: 'Unsure', email: { email: 'unsure@mail.test' } }));
    expect(await names(unsure)).toEqual([{ kind: 'user_name', canonical: 'unsure' }]);
  });

  it('enqueues an SMS for an unverified phone where there is a provider, and none where there is not', async () => {
    const queued = `SELECT n.template, n.channel, n.state, o.lane FROM notifications n
      JOIN outbox o ON o.id = n.outbox_id WHERE n.user_id = $1`;
    const without = await imported(record({ phone: { phone: '+41791234567' } }));
    expect(await rows(queued, without)).toEqual([]);
    const sending = await startTestApi({ ...TWILIO, SMS_CAP_ORGANIZATION: '1/1h' }, api);
    try {
      const importedThere = async (phone: string): Promise<string> => {
        const body = record({ phone: { phone } });
        const response = await importHuman(sending, owner.pat, body);
        expect(response.statusCode).toBe(200);
        return response.json<{ userId: string }>().userId;
      };
      expect(await rows(queued, await importedThere('+41791234567'))).toEqual([
        { template: 'verify_phone', channel: 'sms', state: 'pending', lane: 'normal' },
      ]);
      // a limit stops the message and not the import
      expect(await rows(queued, await importedThere('+41791234568'))).toEqual([]);
    } finally {
      await sending.close();
    }
    const sure = await imported(record({ phone: { phone: '+41791234567', isPhoneVerified: true } }));
    expect(await rows('SELECT id FROM notifications WHERE user_id = $1', sure)).toEqual([]);
  });

  it('stores the code as an HMAC and in a sealed message, nowhere else', async () => {
    const userId = await imported(record(none));
    const [{ code_hash: hash } = {}] = await rows(
      'SELECT code_hash FROM verification_codes WHERE user_id = $1',
      userId,
    );
    expect(hash).toHaveLength(32);
    const [{ dump } = {}] = await rows(
      `SELECT (SELECT json_agg(e) FROM events e WHERE aggregate_id = $1)::text
         || (SELECT json_agg(o) FROM outbox o JOIN notifications n ON n.outbox_id = o.id WHERE n.user_id = $1)::text
         AS dump`,
      userId,
    );
    expect(dump).not.toContain('@mail.test');
    expect(String(dump)).not.toMatch(/"[A-HJ-NP-Z2-9]{6}"/);
  });
});

describe('passwords', () => {
  const stored = async (userId: string) =>
    (
      await rows('SELECT hash, scheme, weak, change_required FROM user_passwords WHERE user_id = $1', userId)
    )[0];
  const matches = async (userId: string, password: string) =>
    (await api.app.get(CheckPassword).check(userId as UserId, password, TEST_BILL)).matches;

  it('are hashed when plain, and asked to be changed when the record says so', async () => {
    const userId = await imported(
      record({ hashedPassword: undefined, password: 'Marker-Passw0rd!', passwordChangeRequired: true }),
    );
    expect(await stored(userId)).toMatchObject({ scheme: 'argon2id', change_required: true });
    expect(String((await stored(userId))?.['hash'])).toMatch(/^\$argon2id\$/);
    expect(await matches(userId, 'Marker-Passw0rd!')).toBe(true);
  });

  it('are kept as they are when hashed, and the hash wins over a plain one', async () => {
    const userId = await imported(record({ password: 'ignored', passwordChangeRequired: true }));
    expect(await stored(userId)).toEqual({
      hash: HASH,
      scheme: 'pbkdf2-sha256',
      weak: false,
      change_required: false,
    });
    expect(await matches(userId, 'password')).toBe(true);
  });

  it('are accepted and marked when their hash is weak', async () => {
    const value = '$pbkdf2-sha256$1000$TWFya2VyLXNhbHQtMTIzNA$7Wdqx95oWcqXyj55oZxbzrq6oiOvI6nJMYPq/OqNR/E';
    const userId = await imported(record({ hashedPassword: { value } }));
    expect(await stored(userId)).toMatchObject({ weak: true });
    const [event] = await rows('SELECT data FROM events WHERE aggregate_id = $1', userId);
    expect(event).toMatchObject({ data: { passwordWeak: true } });
  });

  it.each([
    ['Sh0rt!', 'Password is too short', 'DOMAIN-HuJf6'],
    ['ALL-UPPER-1', 'Password must contain lower case', 'DOMAIN-co3Xw'],
    ['all-lower-1', 'Password must contain upper case', 'DOMAIN-VoaRj'],
    ['No-Number!', 'Password must contain number', 'DOMAIN-ZBv4H'],
    ['NoSymbol1', 'Password must contain symbol', 'DOMAIN-ZDLwA'],
  ])('are refused when weak: %s', async (password, text, id) => {
    await expectRefusal(record({ hashedPassword: undefined, password }), errorBody(3, text, id));
  });

  it.each([
    ['unknown', '$plain$password', 'CRYPT-2xK7d', 'unknown-scheme'],
    ['banned', '$argon2d$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaA', 'CRYPT-2xK7d', 'unknown-scheme'],
    ['empty', '', 'CRYPT-2xK7d', 'unknown-scheme'],
    ['four parts', '$pbkdf2-sha256$600000$c2FsdHNhbHQ', 'CRYPT-r8Qm2', 'wrong-part-count'],
    ['no salt', '$pbkdf2-sha256$600000$$OoEamRMlSs8OtL0ICBiiIw', 'CRYPT-r8Qm2', 'bad-salt'],
    ['leading zero', HASH.replace('600000', '07'), 'CRYPT-r8Qm2', 'bad-cost'],
    ['other digits', HASH.replace('600000', '٣٠٠'), 'CRYPT-r8Qm2', 'bad-cost'],
    ['too dear', HASH.replace('600000', '2000001'), 'CRYPT-5uV9n', 'cost-too-high'],
  ])('are refused with a hash that is %s', async (_, value, id, rule) => {
    const response = await send(record({ hashedPassword: { value } }));
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ code: 3, details: [{ id }] });
    const { message } = response.json<{ message: string }>();
    expect(message).toContain(`rule ${rule}`);
    if (value.length > 20) expect(response.body).not.toContain(value.slice(-12));
  });

  it('are never shown again', async () => {
    const body = record();
    const answer = await send(body);
    const { userId } = answer.json<{ userId: string }>();
    const conflict = await send(body);
    const got = await owner.call('GET', `users/${userId}`);
    const state = await owner.call('POST', `users/${userId}/_deactivate`);
    for (const response of [answer, conflict, got, state]) {
      expect(response.body).not.toContain('pbkdf2');
      expect(response.body).not.toContain('OoEamRMl');
    }
  });
});

describe('what is refused', () => {
  const length = (field: string) =>
    `invalid ImportHumanUserRequest.${field}: value length must be between 1 and 200 runes, inclusive`;
  const profile = (changes: object) => record({ profile: { firstName: 'A', lastName: 'B', ...changes } });
  const email = (address: unknown) => record({ email: { email: address, isEmailVerified: true } });

  it.each<[string, () => unknown, object]>([
    ['no user name', () => record({ userName: undefined }), { code: 3, message: length('UserName') }],
    ['an empty user name', () => record({ userName: '' }), { code: 3, message: length('UserName') }],
    ['a blank user name', () => record({ userName: '   ' }), { code: 3, message: length('UserName') }],
    [
      'a long user name',
      () => record({ userName: 'x'.repeat(201) }),
      { code: 3, message: length('UserName') },
    ],
    [
      'no profile',
      () => record({ profile: undefined }),
      { code: 3, message: 'invalid ImportHumanUserRequest.Profile: value is required' },
    ],
    [
      'no e-mail',
      () => record({ email: undefined }),
      { code: 3, message: 'invalid ImportHumanUserRequest.Email: value is required' },
    ],
    [
      'no first name',
      () => profile({ firstName: '' }),
      {
        code: 3,
        message:
          'invalid ImportHumanUserRequest.Profile: embedded message failed validation | caused by: ' +
          'invalid ImportHumanUserRequest_Profile.FirstName: value length must be between 1 and 200 runes, inclusive',
      },
    ],
    [
      'a blank first name',
      () => profile({ firstName: ' ' }),
      errorBody(3, 'First name in profile is empty', 'PROFILE-RF5z2'),
    ],
    [
      'a blank last name',
      () => profile({ lastName: ' ' }),
      errorBody(3, 'Last name in profile is empty', 'PROFILE-DSUkN'),
    ],
    ['an invalid e-mail', () => email('ada'), errorBody(3, 'Email is invalid', 'EMAIL-599BI')],
    ['two @', () => email('a@b@c.test'), errorBody(3, 'Email is invalid', 'EMAIL-599BI')],
    ['a line break', () => email('a@b.test\r\nBcc: x@y.z'), errorBody(3, 'Email is invalid', 'EMAIL-599BI')],
    ['a display name', () => email('Ada <a@b.test>'), errorBody(3, 'Email is invalid', 'EMAIL-599GV')],
    ['an empty e-mail', () => email(''), errorBody(3, 'Email is empty', 'EMAIL-spblu')],
    [
      'an invalid phone',
      () => record({ phone: { phone: '12', isPhoneVerified: true } }),
      errorBody(3, 'Phone is invalid', 'PHONE-so0wa'),
    ],
    [
      'a flag that is text',
      () => record({ email: { email: 'a@b.test', isEmailVerified: 'true' } }),
      { code: 3, message: 'email.isEmailVerified must be true or false' },
    ],
    [
      'idps',
      () => record({ idps: [{ configId: '1' }] }),
      { code: 3, message: 'idps[0]: externalUserId must have 1 to 255 characters without controls' },
    ],
    [
      'otpCode',
      () => record({ otpCode: 'JBSW' }),
      {
        code: 3,
        message: 'otpCode must be base32 of 10 to 64 bytes, or an otpauth://totp address with such a secret',
      },
    ],
    [
      'recoveryCodes',
      () => record({ recoveryCodes: ['x'] }),
      { code: 3, message: 'recoveryCodes[0] must be {"raw": …} or {"hash": …} with 1 to 200 characters' },
    ],
    ...['roles', 'isAdmin', 'state', 'resourceOwner', 'createdAt', 'mfa', 'userId'].map(
      (field): [string, () => unknown, object] => [
        `the unknown field ${field}`,
        () => record({ [field]: 'x' }),
        { code: 3, message: `unknown field "${field}"` },
      ],
    ),
    [
      'an unknown nested field',
      () => profile({ admin: true }),
      { code: 3, message: 'unknown field "profile.admin"' },
    ],
  ])('%s', async (_, body, expected) => {
    await expectRefusal(body(), expected);
  });

  it('60 kB of the same letter anywhere', async () => {
    const long = `${'a'.repeat(60_000)}!`;
    for (const body of [
      record({ userName: long }),
      profile({ firstName: long }),
      email(`${long}@mail.test`),
      record({ phone: { phone: long } }),
      record({ hashedPassword: { value: `$pbkdf2-sha256$1000$${long}$${long}` } }),
    ]) {
      expect((await send(body)).statusCode).toBe(400);
    }
  });
});

describe('names that are taken', () => {
  const taken = errorBody(6, 'User already exists', 'V3-DKcYh');

  it.each([
    ['the same', 'Ada.Taken', 'Ada.Taken'],
    ['another case', 'Bea.Taken', 'bEA.tAKEN'],
    ['a compatibility form', 'ﬁnn', 'finn'],
    ['full-width letters', 'dora', 'ｄｏｒａ'],
    ['blanks around', 'emil', ' emil '],
  ])('a user name: %s', async (_, first, second) => {
    await imported(record({ userName: first }));
    await expectRefusal(record({ userName: second }), taken, 409);
  });

  it('a verified e-mail, in any spelling; an unverified one is nobody’s yet', async () => {
    const email = { email: 'one@mail.test', isEmailVerified: true };
    await imported(record({ email }));
    await expectRefusal(record({ email: { ...email, email: 'ONE@Mail.test' } }), taken, 409);
    await imported(record({ email: { email: 'one@mail.test', isEmailVerified: false } }));
  });

  it('in another organization they are free', async () => {
    const root = await aServiceUser(world, 'IAM_OWNER');
    const elsewhere = await anOrganization(api);
    const body = record();
    await imported(body);
    const response = await importHuman(api, root.pat, body, { 'x-zitadel-orgid': elsewhere.orgId });
    expect(response.statusCode).toBe(200);
  });

  it('50 times at once: one is created, 49 are conflicts (S146)', async () => {
    const spellings = ['Race.Name', 'race.name', 'RACE.NAME', 'ｒace.name', 'ｒａｃｅ.name'];
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        send(record({ userName: spellings[index % spellings.length] })),
      ),
    );
    expect(answers.filter((answer) => answer.statusCode === 200)).toHaveLength(1);
    for (const answer of answers.filter((one) => one.statusCode !== 200)) {
      expect(answer.statusCode).toBe(409);
      expect(answer.json()).toEqual(taken);
    }
    const [found] = await rows(
      `SELECT count(*)::int AS count FROM login_identifiers WHERE canonical = 'race.name'`,
    );
    expect(found).toEqual({ count: 1 });
  });

  it('50 times at once by e-mail, with one message for the one that is created', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        send(
          record({
            email: { email: 'race@mail.test', isEmailVerified: true },
            hashedPassword: undefined,
            phone: { phone: '+41791234568' },
          }),
        ),
      ),
    );
    expect(answers.map((answer) => answer.statusCode).sort()).toEqual([200, ...Array<number>(49).fill(409)]);
    const [found] = await rows(
      `SELECT count(*)::int AS count FROM notifications n JOIN user_humans h ON h.user_id = n.user_id
       WHERE h.email = 'race@mail.test'`,
    );
    expect(found).toEqual({ count: 1 });
  });
});

describe('a user name with a domain', () => {
  const reserved = errorBody(3, 'Domain is already reserved and cannot be used', 'COMMAND-SFd21');

  it('is refused when another organization has verified the domain', async () => {
    const elsewhere = await anOrganization(api);
    for (const userName of [
      `ada@${elsewhere.domain}`,
      `ada@${elsewhere.domain.toUpperCase()}.`,
      `ada＠${elsewhere.domain}`,
      `ada@x@${elsewhere.domain}`,
    ]) {
      await expectRefusal(record({ userName }), reserved);
    }
    await api.sql.query(
      `INSERT INTO organization_domains (org_id, domain, is_verified) VALUES ($1, 'claimed.test', false)`,
      [elsewhere.orgId],
    );
    await imported(record({ userName: 'ada@claimed.test' }));
  });

  it('is the login name when it ends with the own primary domain, and is stored without that ending', async () => {
    const userId = await imported(record({ userName: `Own.Domain@${world.domain.toUpperCase()}` }));
    expect(await read(userId)).toMatchObject({
      userName: 'Own.Domain',
      preferredLoginName: `Own.Domain@${world.domain}`,
    });
    const conflict = await send(record({ userName: 'own.domain' }));
    expect(conflict.statusCode).toBe(409);
    const twice = await send(record({ userName: `own.domain@${world.domain}@${world.domain}` }));
    expect(twice.statusCode).toBe(409);
  });

  it('keeps every other domain', async () => {
    await api.sql.query(
      `INSERT INTO organization_domains (org_id, domain, is_verified) VALUES ($1, 'second.test', true)`,
      [world.orgId],
    );
    for (const userName of ['ada@nobody.test', 'ada@second.test', '@ada', 'ada@']) {
      expect(await read(await imported(record({ userName })))).toMatchObject({ userName });
    }
  });
});
