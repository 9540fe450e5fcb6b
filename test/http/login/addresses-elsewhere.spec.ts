import { randomBytes } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { UserId } from '../../../src/domain/shared/ids.js';
import { randomToken } from '../../../src/domain/shared/random.js';
import { NotifyAccounts } from '../../../src/domain/sign-in/notify-accounts.js';
import { anApplication, type TestClient } from '../../support/applications.js';
import {
  authorizeUrl,
  codeRequest,
  hiddenFields,
  redirected,
  TestBrowser,
} from '../../support/browser-flow.js';
import { call } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { importHuman, record } from '../../support/human-records.js';
import { human, ImportEngine } from '../../support/import-engine.js';
import { collectMails, linkIn } from '../../support/mailbox.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser, PASSWORD, type TestUser } from '../../support/users.js';
import { anOrganization, useWorld, type World } from '../../support/world.js';

// E-mail as a weapon between organizations (security S191, S192).

/** The default organization; one of an attacker; one of the victims; one that only has an application. */
const { api, world: home } = useWorld();
const o2 = given(() => anOrganization(api));
const o3 = given(() => anOrganization(api));
const o4 = given(() => anOrganization(api));
const attacker = given(() => aServiceUser(o2, 'ORG_OWNER'));
const instanceOwner = given(() => aServiceUser(home, 'IAM_OWNER'));
const clients = new Map<World, TestClient>();
beforeAll(async () => {
  for (const world of [home, o2, o3, o4]) clients.set(world, await anApplication(world));
});
beforeEach(async () => {
  await collectMails(api);
});

const appOf = (world: World): TestClient => clients.get(world)!;
/** Fit for a label of a domain. */
const word = (): string => randomBytes(4).toString('hex');
const fresh = (domain = 'mail.test'): string => `${randomToken(6)}@${domain}`.toLowerCase();
const toOrg = (world: World): string => `openid urn:zitadel:iam:org:id:${world.orgId}`;

/** Tries the password in an application of that organization. */
async function signIn(world: World, loginName: string, password = PASSWORD, changes = {}) {
  const browser = new TestBrowser(api);
  const fields = await browser.openSignIn(codeRequest(appOf(world), changes));
  return await browser.post('/login', { ...fields, loginName, password });
}

/** The page after the second refusal in the same form. */
async function refusedAgain(world: World, loginName: string) {
  const browser = new TestBrowser(api);
  const typed = { loginName, password: PASSWORD };
  const fields = await browser.openSignIn(codeRequest(appOf(world)));
  const refused = await browser.post('/login', { ...fields, ...typed });
  return await browser.post('/login', { ...hiddenFields(refused.body), ...typed });
}

async function signsIn(world: World, loginName: string, password?: string, changes = {}): Promise<boolean> {
  return (await signIn(world, loginName, password, changes)).statusCode === 303;
}

/** "Forgotten password?" in a sign-in to an application of that organization. */
async function forget(world: World, loginName: string): Promise<LightMyRequestResponse> {
  const browser = new TestBrowser(api);
  const { flow = '' } = await browser.openSignIn(codeRequest(appOf(world)));
  const page = await browser.get(`/password/forgotten?flow=${flow}`);
  return await browser.post('/password/forgotten', { ...hiddenFields(page.body), loginName });
}

async function prove(world: World, address: string, password?: string): Promise<TestUser> {
  const email = { address, verified: true };
  return await aUser(world, { email, proven: true, ...(password !== undefined && { password }) });
}

async function vouch(world: World, address: string, password?: string): Promise<TestUser> {
  return await aUser(world, {
    email: { address, verified: true },
    ...(password !== undefined && { password }),
  });
}

/** The attack as it was: an owner of the attacker's organization imports an address that nobody proved. */
async function importVouched(address: string): Promise<void> {
  const answer = await importHuman(
    api,
    attacker.pat,
    record({ email: { email: address, isEmailVerified: true } }),
  );
  expect(answer.statusCode, answer.body).toBe(200);
}

async function setDomain(method: 'POST' | 'DELETE', world: World, domain: string): Promise<void> {
  const path = method === 'POST' ? 'orgs/me/domains' : `orgs/me/domains/${domain}`;
  const answer = await call(api, method, path, {
    pat: instanceOwner.pat,
    headers: { 'x-zitadel-orgid': world.orgId },
    ...(method === 'POST' && { body: { domain } }),
  });
  expect(answer.statusCode, answer.body).toBe(200);
}

async function isProven(userId: UserId): Promise<boolean | undefined> {
  const { rows } = await api.sql.query<{ proven: boolean }>(
    "SELECT proven FROM login_identifiers WHERE user_id = $1 AND kind = 'email'",
    [userId],
  );
  return rows[0]?.proven;
}

async function userWith(address: string, world: World): Promise<UserId> {
  const { rows } = await api.sql.query<{ user_id: UserId }>(
    'SELECT user_id FROM user_humans WHERE org_id = $1 AND email = $2',
    [world.orgId, address],
  );
  return rows[0]!.user_id;
}

describe('S191: an address that somebody has proven', () => {
  it('S191: identifies its owner in applications of their organization, whatever others marked as verified', async () => {
    const address = fresh();
    const victim = await prove(o3, address);
    await importVouched(address);
    await vouch(home, address, 'Marker-Namesake1!');
    for (const typed of [address, address.toUpperCase(), ` ${address} `]) {
      expect(await signsIn(o3, typed)).toBe(true);
      expect(await signsIn(o3, typed, 'Marker-Namesake1!')).toBe(false);
    }
    await forget(o3, address);
    const mails = await collectMails(api);
    expect(mails.map(({ to, text }) => [to, text.includes(victim.loginName)])).toEqual([[address, true]]);
  });

  it('S191: identifies its owner in applications of others, too, unless the domain’s owner marked it as verified for another user', async () => {
    const domain = `d${word()}.test`;
    const address = fresh(domain);
    await prove(o3, address);
    await importVouched(address);
    expect(await signsIn(o4, address)).toBe(true);
    await setDomain('POST', o2, domain);
    expect(await signsIn(o4, address)).toBe(false);
    expect(await signsIn(o3, address)).toBe(true);
    await setDomain('DELETE', o2, domain);
    expect(await signsIn(o4, address)).toBe(true);
  });

  it('S191: is not taken over by a full login name of another organization, in its owner’s organization', async () => {
    const name = word();
    const address = `${name}@${o2.domain}`;
    const victim = await prove(o3, address);
    const other = await aUser(o2, { userName: name, password: 'Marker-0ther!' });
    expect(other.loginName).toBe(address);
    expect(await signsIn(o3, address)).toBe(true);
    expect(await signsIn(o3, victim.loginName)).toBe(true);
    // and the full name goes on deciding everywhere else, and where its organization is asked for
    expect(await signsIn(o2, address, 'Marker-0ther!')).toBe(true);
    expect(await signsIn(o4, address, 'Marker-0ther!')).toBe(true);
    expect(await signsIn(o3, address, 'Marker-0ther!', { scope: toOrg(o2) })).toBe(true);
  });

  it('S473: identifies its owner though another account of their organization has it as its user name', async () => {
    const address = fresh();
    const victim = await prove(o3, address);
    const unverified = { address: fresh(), verified: false };
    await aUser(o3, { userName: address, email: unverified, password: 'Marker-Namesake1!' });
    expect(await signsIn(o3, address)).toBe(true);
    expect(await signsIn(o3, address, 'Marker-Namesake1!')).toBe(false);
    await forget(o3, address);
    const mails = await collectMails(api);
    expect(mails.map(({ to, text }) => [to, text.includes(victim.loginName)])).toEqual([[address, true]]);
    // which goes on being reached by its full name
    expect(await signsIn(o3, `${address}@${o3.domain}`, 'Marker-Namesake1!')).toBe(true);
  });

  it('S191: names their session by login_hint, silently too', async () => {
    const address = fresh();
    const victim = await prove(o3, address);
    const second = await aUser(o3);
    const browser = new TestBrowser(api);
    await browser.signIn(codeRequest(appOf(o3)), victim);
    const again = await browser.openSignIn(codeRequest(appOf(o3), { prompt: 'login' }));
    await browser.post('/login', { ...again, loginName: second.loginName, password: PASSWORD });
    const silent = codeRequest(appOf(o3), { prompt: 'none', login_hint: address });
    const outcome = async () => redirected(await browser.get(authorizeUrl(silent))).has('code');
    expect(await outcome()).toBe(true);
    await importVouched(address);
    await vouch(home, address);
    expect(await outcome()).toBe(true);
  });
});

describe('S191: an address that was only marked as verified', () => {
  it('S191: counts in its organization, and elsewhere only below a domain that this one has verified', async () => {
    const domain = `v${word()}.test`;
    const address = fresh(domain);
    await vouch(o2, address);
    const outcomes = async () => [
      await signsIn(o2, address),
      await signsIn(o4, address, PASSWORD),
      await signsIn(home, address),
    ];
    expect(await outcomes()).toEqual([true, false, false]);
    await setDomain('POST', o2, `sub.${domain}`);
    await setDomain('POST', o3, domain);
    expect(await outcomes()).toEqual([true, false, false]);
    await setDomain('DELETE', o3, domain);
    await setDomain('POST', o2, domain);
    expect(await outcomes()).toEqual([true, true, true]);
    await setDomain('DELETE', o2, domain);
    expect(await outcomes()).toEqual([true, false, false]);
  });

  it('S191: counts below a domain in other letters than ASCII', async () => {
    const name = `bücher-${word()}.test`;
    const address = fresh(name);
    await vouch(o2, address);
    expect(await signsIn(o4, address)).toBe(false);
    await setDomain('POST', o2, name);
    expect(await signsIn(o4, address)).toBe(true);
  });

  it('S191: where the request names its organization, from an application of another', async () => {
    const address = fresh();
    await vouch(o2, address);
    expect(await signsIn(o4, address, PASSWORD, { scope: toOrg(o2) })).toBe(true);
  });

  it('S191: is proven by a code from the mailbox, until an administrator sets another address', async () => {
    const address = fresh();
    const user = await vouch(o3, address);
    expect(await signsIn(o4, address)).toBe(false);
    await forget(o3, address);
    const link = linkIn((await collectMails(api))[0], '/password/reset');
    const browser = new TestBrowser(api);
    const fields = hiddenFields((await browser.get(link.url)).body);
    const password = 'Marker-Fr3sh!';
    const done = await browser.post('/password/reset', {
      ...fields,
      code: link.code,
      newPassword: password,
      repeatPassword: password,
    });
    expect(done.statusCode, done.body.slice(0, 2000)).toBeLessThan(400);
    expect(await isProven(user.userId)).toBe(true);
    expect(await signsIn(o4, address, password)).toBe(true);

    const owner = await aServiceUser(o3, 'ORG_OWNER');
    const put = (email: string, isEmailVerified: boolean) =>
      owner.call('PUT', `users/${user.userId}/email`, { email, isEmailVerified });
    // the same again changes nothing that its owner has shown
    expect((await put(address, true)).statusCode).toBe(200);
    expect(await isProven(user.userId)).toBe(true);
    expect((await put(fresh(), true)).statusCode).toBe(200);
    expect(await isProven(user.userId)).toBe(false);
    expect((await put(address, true)).statusCode).toBe(200);
    expect(await isProven(user.userId)).toBe(false);
    expect(await signsIn(o4, address, password)).toBe(false);
  });

  it('S191: stays so when an import or an export of ours brings it, and a proof outlives an upsert', async () => {
    const engine = new ImportEngine(api);
    const importer = await engine.addImporter(o2.orgId);
    const name = `up-${randomToken(6)}`.toLowerCase();
    const one = { ...human(name), email: { email: `${name}@mail.test`, isEmailVerified: true } };
    await engine.import(o2.orgId, importer, [one]);
    const userId = await userWith(`${name}@mail.test`, o2);
    expect(await isProven(userId)).toBe(false);
    await api.sql.query("UPDATE login_identifiers SET proven = true WHERE user_id = $1 AND kind = 'email'", [
      userId,
    ]);
    const upsert = { mode: 'upsert' } as const;
    const renamed = { ...one, profile: { firstName: 'New', lastName: 'Name' } };
    await engine.import(o2.orgId, importer, [renamed], upsert);
    expect(await isProven(userId)).toBe(true);
    const moved = { ...renamed, email: { email: fresh(), isEmailVerified: true } };
    await engine.import(o2.orgId, importer, [moved], upsert);
    expect(await isProven(userId)).toBe(false);
  });

  it('S191: a code from a look-alike mailbox proves nothing about the address', async () => {
    const local = word();
    const canonical = `${local}@strasse-${local}.test`;
    const victim = await prove(o3, canonical);
    const lookalike = `${local}@straße-${local}.test`;
    const evil = await aUser(o2, { email: { address: lookalike, verified: false } });
    await forget(o2, evil.loginName);
    const [mail] = await collectMails(api);
    expect(mail?.to).toBe(lookalike);
    const link = linkIn(mail, '/password/reset');
    const browser = new TestBrowser(api);
    const fields = hiddenFields((await browser.get(link.url)).body);
    const password = 'Marker-Ev1l!';
    await browser.post('/password/reset', {
      ...fields,
      code: link.code,
      newPassword: password,
      repeatPassword: password,
    });
    expect(await isProven(evil.userId)).toBe(false);
    expect(await signsIn(o4, canonical)).toBe(true);
    expect(await signsIn(o3, victim.loginName)).toBe(true);
  });

  it('S191: does not keep its owner from registering elsewhere, who then has it proven', async () => {
    const address = `reg-${randomToken(6)}@mail.test`.toLowerCase();
    await importVouched(address);
    await o3.allowRegister();
    const browser = new TestBrowser(api);
    const { flow = '' } = await browser.openSignIn(codeRequest(appOf(o3)));
    const form = hiddenFields((await browser.get(`/register?flow=${flow}`)).body);
    const asked = await browser.post('/register', {
      ...form,
      email: address,
      newPassword: PASSWORD,
    });
    expect(asked.statusCode, asked.body.slice(0, 2000)).toBe(303);
    const mails = await collectMails(api);
    expect(mails.map(({ to }) => to)).toEqual([address]);
    const { url, code } = linkIn(mails[0], '/register/verify');
    const verify = hiddenFields((await browser.get(url)).body);
    expect(redirected(await browser.post('/register/verify', { ...verify, code })).has('code')).toBe(true);
    expect(await isProven(await userWith(address, o3))).toBe(true);
    expect(await isProven(await userWith(address, o2))).toBe(false);
    expect(await signsIn(o4, address)).toBe(true);
  });
});

describe('S191: names that are not addresses', () => {
  it('S191: a user name without a domain identifies a user of the named organization or the application’s, and nobody elsewhere', async () => {
    const userName = `bare-${randomToken(6)}`.toLowerCase();
    const looksLike = fresh();
    await aUser(o2, { userName });
    await aUser(o2, { userName: looksLike });
    for (const name of [userName, looksLike]) {
      expect(await signsIn(o2, name)).toBe(true);
      expect(await signsIn(o4, name, PASSWORD, { scope: toOrg(o2) })).toBe(true);
      expect(await signsIn(o4, name)).toBe(false);
      expect(await signsIn(home, name)).toBe(false);
    }
  });

  it('S191: one that ends in a domain of another organization is refused, by whatever way it comes', async () => {
    const idn = `müller-${word()}.test`;
    await setDomain('POST', o3, idn);
    const { pat } = attacker;
    const own = await aUser(o2);
    await o2.allowRegister();
    const engine = new ImportEngine(api);
    const importer = await engine.addImporter(o2.orgId);
    for (const domain of [o3.domain, o3.domain.toUpperCase(), idn, `${idn}.`, idn.replace('.', '。')]) {
      const userName = `ada-${word()}@${domain}`;
      const bodies = [
        await importHuman(api, pat, record({ userName })),
        await call(api, 'POST', 'users/human', {
          pat,
          body: {
            userName,
            profile: { firstName: 'Ada', lastName: 'L' },
            email: { email: fresh(), isEmailVerified: true },
          },
        }),
        await call(api, 'POST', 'users/machine', { pat, body: { userName, name: 'Machine' } }),
        await call(api, 'PUT', `users/${own.userId}/username`, { pat, body: { userName } }),
      ];
      for (const answer of bodies) {
        expect([answer.statusCode, answer.json()], `${userName} ${answer.body}`).toEqual([
          400,
          expect.objectContaining({ code: 3, message: expect.stringContaining('COMMAND-SFd21') }),
        ]);
      }
      const job = await engine.import(o2.orgId, importer, [{ ...human(word()), userName }]);
      expect(job.counts).toMatchObject({ created: 0, failed: 1 });
      const browser = new TestBrowser(api);
      const { flow = '' } = await browser.openSignIn(codeRequest(appOf(o2)));
      const form = hiddenFields((await browser.get(`/register?flow=${flow}`)).body);
      const refused = await browser.post('/register', {
        ...form,
        firstName: 'Ada',
        lastName: 'L',
        email: userName,
        loginName: userName,
        newPassword: PASSWORD,
        repeatPassword: PASSWORD,
      });
      expect(refused.statusCode, userName).toBe(400);
    }
  });
});

/** A page without what differs from one request to the next. */
function shape(page: LightMyRequestResponse, typed: string): string {
  const masked = `${typed[0]}•••${typed.slice(typed.lastIndexOf('@'))}`;
  return page.body
    .replaceAll(typed, 'NAME')
    .replaceAll(masked, 'MASKED')
    .replace(/name="(?:csrf|request|flow)" value="[^"]*"/g, '')
    .replace(/(?:request|flow)=[A-Za-z0-9_%-]+/g, '')
    .replace(/nonce="[^"]*"/g, '');
}

describe('S192: an address that could identify several accounts', () => {
  it('S192: gets the page and hint of an unknown address, and only its owner is told the accounts', async () => {
    const address = fresh();
    const first = await prove(o2, address);
    const second = await prove(o3, address);
    await api.sql.query("UPDATE users SET state = 'initial' WHERE id = $1", [second.userId]);
    await api.sql.query('DELETE FROM user_passwords WHERE user_id = $1', [second.userId]);
    const vouched = await vouch(home, address);
    const nobody = fresh();
    const refused = await signIn(o4, address);
    const unknown = await signIn(o4, nobody);
    expect([refused.statusCode, shape(refused, address)]).toEqual([400, shape(unknown, nobody)]);
    const again = await refusedAgain(o4, address);
    expect([again.statusCode, shape(again, address)]).toEqual([
      400,
      shape(await refusedAgain(o4, nobody), nobody),
    ]);
    expect(again.body).toContain('Use your full login name');

    const answer = await forget(o4, address.toUpperCase());
    expect(shape(answer, address.toUpperCase())).toBe(shape(await forget(o4, nobody), nobody));
    const mails = await collectMails(api);
    expect(mails.map(({ to }) => to)).toEqual([address]);
    const { text = '', html = '', subject = '' } = mails[0] ?? {};
    expect(subject).toBe('Choose the account for your new password');
    for (const body of [text, html]) {
      expect(body).toContain(first.loginName);
      expect(body).toContain(second.loginName);
      expect(body).toContain('It has no password yet.');
      expect(body).not.toContain(vouched.loginName);
      expect(body).not.toMatch(/[?&](?:code|id)=/);
    }
    const { rows } = await api.sql.query('SELECT FROM verification_codes WHERE user_id = ANY ($1)', [
      [first.userId, second.userId, vouched.userId],
    ]);
    expect(rows).toEqual([]);
    // the full login name that the mail names is all that is needed
    await forget(o4, first.loginName);
    expect(linkIn((await collectMails(api))[0], '/password/reset').code).not.toBe('');
  });

  it('S192: gets a mail once a minute, five times an hour at most, however many ask at once and from wherever', async () => {
    const address = fresh();
    await prove(o2, address);
    await prove(o3, address);
    await Promise.all([forget(o4, address), forget(home, address), forget(o4, address), forget(o4, address)]);
    expect(await collectMails(api)).toHaveLength(1);
    for (let minute = 1; minute <= 6; minute += 1) {
      await api.advance(61);
      await forget(minute % 2 === 0 ? o4 : home, address);
      expect(await collectMails(api)).toHaveLength(minute < 5 ? 1 : 0);
    }
  });

  it('S470: is told to an owner elsewhere than a stranger who has had the mails of the hour, up to twenty', async () => {
    const address = fresh();
    await prove(o2, address);
    await prove(o3, address);
    const notified = async (source: string): Promise<number> => {
      let mails = 0;
      for (let minute = 0; minute < 6; minute += 1) {
        if ((await api.app.get(NotifyAccounts).execute(address, { application: o4.orgId }, source)) > 0)
          mails += 1;
        await api.advance(61);
      }
      return mails;
    };
    const line = ['2001:db8::1', '2001:db8:0:1::1', '2001:db8:0:ff::1'];
    const sources = [...line, '192.0.2.1', '192.0.2.2', '192.0.2.3'];
    const mails: number[] = [];
    for (const source of sources) mails.push(await notified(source));
    expect(mails).toEqual([5, 5, 0, 5, 5, 0]);
  });

  it('S192: the mail does not name locked and deactivated accounts, and is not sent if no account is left', async () => {
    const address = fresh();
    const locked = await prove(o2, address);
    const open = await prove(o3, address);
    await api.sql.query("UPDATE users SET state = 'locked' WHERE id = $1", [locked.userId]);
    await forget(o4, address);
    const [mail] = await collectMails(api);
    expect(mail?.text).toContain(open.loginName);
    expect(mail?.text).not.toContain(locked.loginName);

    const onlyVouched = fresh();
    await vouch(o2, onlyVouched);
    await vouch(o3, onlyVouched);
    await forget(o4, onlyVouched);
    expect(await collectMails(api)).toEqual([]);
    // where they are at home it is the usual mail
    await forget(o2, onlyVouched);
    expect((await collectMails(api)).map(({ to }) => to)).toEqual([onlyVouched]);
  });

  it('S192: where it is also the user name of another here, the owner of the address is told of theirs only', async () => {
    const address = fresh();
    const owner = await vouch(o2, address);
    await aUser(o2, { userName: address });
    expect(await signsIn(o2, address)).toBe(false);
    await forget(o2, address);
    const mails = await collectMails(api);
    expect(mails.map(({ to }) => to)).toEqual([address]);
    expect(mails[0]?.text).toContain(owner.loginName);
    expect(mails[0]?.text).not.toContain(`${address}@${o2.domain}`);
  });
});
