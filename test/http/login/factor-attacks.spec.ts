import { decodeJwt } from 'jose';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { TotpCodes } from '../../../src/domain/factors/totp/totp-codes.js';
import { AccountBrowser } from '../../support/account-browser.js';
import { useReplica } from '../../support/api.js';
import { anOwnApplication } from '../../support/applications.js';
import {
  authorizeUrl,
  basic,
  codeRequest,
  hiddenFields,
  obtainTokens,
  redemption,
  redirected,
  refreshRequest,
  requestToken,
  TestBrowser,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { call } from '../../support/calls.js';
import { aTotpSecret } from '../../support/factors.js';
import { given } from '../../support/given.js';
import { aPasskey } from '../../support/passkeys.js';
import { seenFromOutside } from '../../support/seen-from-outside.js';
import { TWILIO } from '../../support/sms.js';
import { aUser, type TestUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

// What somebody tries who has a password, or earlier tokens, and not the second factor.

const PAGE = '/login/second-factor';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const SCOPE = 'openid offline_access urn:zitadel:iam:org:project:id:zitadel:aud';
/** Else the addresses alone would stop whoever guesses: here it is about the count of each user. */
const settings = { ...TWILIO, RATE_LIMIT_SIGN_IN: '0', RATE_LIMIT_FLOW: '0' };

const { api, world } = useWorld(settings);
const replica = useReplica(api, settings);
const client = given(() =>
  anOwnApplication(world, { grantTypes: ['authorization_code', 'refresh_token', EXCHANGE] }),
);

let subscriber = 4_000_000;
let user: TestUser;

const laterBy = async (seconds: number) => {
  await api.advance(seconds);
  await replica.advance(seconds);
};

beforeEach(async () => {
  await laterBy(90);
  const number = `+4179${String((subscriber += 10_007)).slice(0, 7)}`;
  user = await aUser(world, { phone: { number, verified: true } });
});

async function turnOn(whose: TestUser, kind: 'email' | 'sms'): Promise<void> {
  await api.sql.query('INSERT INTO user_code_factors (user_id, org_id, kind) VALUES ($1, $2, $3)', [
    whose.userId,
    whose.orgId,
    kind,
  ]);
}

const tokens = async (form: Record<string, string>) =>
  (await requestToken(api, form, basic(client))).json<TokenAnswer>();

describe('tokens of a session that lacks the factor', () => {
  it('stay good for what they were given for, and claim no factor: not by refresh, nor by exchange, nor for another session', async () => {
    const before = await obtainTokens(api, client, user, { scope: SCOPE });
    const app = await aTotpSecret(api, user.userId);
    const browser = new TestBrowser(api);
    const asked = await browser.signIn(codeRequest(client, { scope: SCOPE }), user);
    const fields = hiddenFields((await browser.get(asked.headers.location ?? '')).body);
    const shown = await browser.post(PAGE, { ...fields, code: app.code(api) });
    const strong = await tokens(redemption(redirected(shown).get('code') ?? ''));
    expect(decodeJwt(strong.id_token)['amr']).toEqual(['pwd', 'otp', 'mfa']);

    const refreshed = await tokens(refreshRequest(before.refresh_token));
    const exchanged = await tokens({
      grant_type: EXCHANGE,
      subject_token: refreshed.access_token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      scope: 'openid',
    });
    for (const one of [before, refreshed, exchanged]) {
      const { sub, amr, acr } = decodeJwt(one.id_token);
      expect({ sub, amr }).toEqual({ sub: user.userId, amr: ['pwd'] });
      expect(acr).not.toBe(decodeJwt(strong.id_token)['acr']);
      expect((await call(api, 'GET', '/auth/v1/users/me', { pat: one.access_token })).statusCode).toBe(200);
    }
  });

  it('make nobody’s session one that has it', async () => {
    const browser = new TestBrowser(api);
    await browser.signIn(codeRequest(client, { scope: SCOPE }), user);
    const { refresh_token } = await obtainTokens(api, client, user, { scope: SCOPE });
    await aTotpSecret(api, user.userId);
    await tokens(refreshRequest(refresh_token));
    const silent = await browser.get(authorizeUrl(codeRequest(client, { prompt: 'none' })));
    expect(redirected(silent).get('error')).toBe('interaction_required');
    expect((await browser.get(authorizeUrl(codeRequest(client)))).headers.location).toContain(PAGE);
  });
});

describe('the sign-in page', () => {
  it('says the same of a name that nobody has as of one with any factor, whatever is asked', async () => {
    const holders: Record<string, TestUser> = { none: user };
    for (const kind of ['email', 'sms', 'totp', 'passkey', 'recovery'] as const) {
      const number = `+4179${String((subscriber += 10_007)).slice(0, 7)}`;
      const holder = await aUser(world, { phone: { number, verified: true } });
      holders[kind] = holder;
      if (kind === 'passkey') await aPasskey(api, client, holder);
      else if (kind === 'email' || kind === 'sms') await turnOn(holder, kind);
      else await aTotpSecret(api, holder.userId);
      if (kind === 'recovery') {
        await api.sql.query('INSERT INTO user_recovery_codes (user_id, org_id, hash) VALUES ($1, $2, $3)', [
          holder.userId,
          holder.orgId,
          'x',
        ]);
      }
    }
    const names = [
      // as long as the others, so that pages of the same words have the same length
      user.loginName.replace(user.userName, 'x'.repeat(user.userName.length)),
      ...Object.values(holders).map(({ loginName }) => loginName),
    ];
    const first = new Set<string>();
    const wrong = new Set<string>();
    const stepped = new Set<string>();
    for (const loginName of names) {
      const browser = new TestBrowser(api);
      const begun = await browser.get(authorizeUrl(codeRequest(client, { login_hint: loginName })));
      const page = await browser.get(begun.headers.location ?? '');
      first.add(seenFromOutside(page, loginName));
      const typed = { ...hiddenFields(page.body), loginName, password: 'Wrong-Horse-1' };
      wrong.add(seenFromOutside(await browser.post('/login', typed), loginName));
      // what asks for a factor leads nowhere else before the password was right
      const asks = await new TestBrowser(api).get(
        authorizeUrl(codeRequest(client, { login_hint: loginName, acr_values: 'phr' })),
      );
      stepped.add(String(asks.headers.location).replace(/flow=[\w-]{22}/, ''));
    }
    expect(first.size).toBe(1);
    expect(wrong.size).toBe(1);
    expect(stepped.size).toBe(1);
    const { rows } = await api.sql.query(
      `SELECT FROM notifications WHERE template LIKE 'second_factor%' AND user_id = ANY ($1)`,
      [Object.values(holders).map(({ userId }) => userId)],
    );
    expect(rows).toEqual([]);
  });
});

describe('wrong codes without end, for a day', () => {
  /**
   * Over five new flows on two replicas in each quarter of an hour, when a lock has ended. The policy lets ten in at first and one after
   * each lock, so 106 of these 1,536 are looked at, and 96 on each later day: each beyond the limit is refused before anything is
   * looked at, however many they are. Three values of a million are good at any time, so a day of guesses at one account hits with a chance of 3 in 10,000. The
   * last guess of each round is the right code, by which nobody gets in beyond the limit either.
   */
  it('are looked at 106 times a day at most, and the right one among those beyond lets nobody in', async () => {
    const ROUNDS = 96;
    const FLOWS = 5;
    const EACH = 3;
    const app = await aTotpSecret(api, user.userId);
    const looks = [api, replica].map((one) => vi.spyOn(one.app.get(TotpCodes), 'evaluate'));
    const looked = () => looks.reduce((sum, { mock }) => sum + mock.calls.length, 0);
    const open = async (index: number) => {
      const by = new TestBrowser(index % 2 === 0 ? api : replica);
      const { location = '' } = (await by.signIn(codeRequest(client), user)).headers;
      expect(location).toContain(PAGE);
      return by;
    };
    const browsers: TestBrowser[] = [];
    for (let index = 0; index < FLOWS; index += 1) browsers.push(await open(index));
    let sent = 0;
    const wrong = (n: number) => String((n * 7919) % 1_000_000).padStart(6, '0');
    for (let round = 0; round < ROUNDS; round += 1) {
      const forms = await Promise.all(
        browsers.map(async (by) => {
          const begun = await by.get(authorizeUrl(codeRequest(client)));
          return { by, fields: hiddenFields((await by.get(begun.headers.location ?? '')).body) };
        }),
      );
      const good = new Set([-1, 0, 1].map((step) => app.code(api, step)));
      for (let n = 0; n < EACH; n += 1) {
        const answers = await Promise.all(
          forms.map(({ by, fields }) => {
            sent += 1;
            const code = good.has(wrong(sent)) ? wrong(sent + 1) : wrong(sent);
            return by.post(PAGE, { ...fields, code });
          }),
        );
        expect(answers.every(({ statusCode }) => statusCode === 400)).toBe(true);
      }
      const before = looked();
      const [form] = forms;
      const beyond = await form?.by.post(PAGE, { ...form.fields, code: app.code(api) });
      sent += 1;
      expect(beyond?.statusCode).toBe(400);
      expect(looked()).toBe(before);
      await laterBy(901);
    }
    expect(sent).toBe(ROUNDS * (FLOWS * EACH + 1));
    expect(looked()).toBeLessThanOrEqual(106);
    expect(looked()).toBeGreaterThan(90);
    vi.restoreAllMocks();
  }, 600_000);
});

describe.each(['email', 'sms'] as const)('a stale session and codes by %s', (kind) => {
  it('turns none on: by the API', async () => {
    const { access_token: pat } = await obtainTokens(api, client, user, { scope: SCOPE });
    await laterBy(601);
    for (const [method, path, body] of [
      ['POST', '_begin', undefined],
      ['POST', '_finish', { code: '123456' }],
    ] as const) {
      const url = `/auth/v1/users/me/factors/codes/${kind}/${path}`;
      const refused = await call(api, method, url, { pat, ...(body && { body }) });
      expect(refused.statusCode).toBe(401);
      expect(refused.headers['www-authenticate']).toContain('insufficient_user_authentication');
    }
  });

  it('turns none on, nor off: on the page', async () => {
    const browser = await AccountBrowser.signedIn(api, user);
    const path = `/account/security/codes/${kind}`;
    const fields = await browser.fieldsOf(path);
    await laterBy(601);
    const confirm = `/account/confirm?next=${encodeURIComponent(path)}`;
    expect((await browser.get(path)).headers.location).toBe(confirm);
    for (const form of [path, `${path}/send`, `${path}/remove`]) {
      const stale = await browser.post(form, { ...fields, code: '123456' });
      expect(stale.headers.location).toMatch(/^\/account\/confirm\?next=/);
    }
    const { rows } = await api.sql.query('SELECT FROM notifications WHERE user_id = $1 AND template = $2', [
      user.userId,
      `second_factor_${kind}`,
    ]);
    expect(rows).toEqual([]);
  });
});
