import { decodeJwt } from 'jose';
import { expect, it } from 'vitest';
import type { ImportJobId } from '../../src/domain/shared/ids.js';
import { startTestApi, type TestApi } from '../support/api.js';
import { anApplication, anOwnApplication } from '../support/applications.js';
import type { Authenticator } from '../support/authenticator.js';
import {
  basic,
  codeRequest,
  hiddenFields,
  redemption,
  redirected,
  requestToken,
  TestBrowser,
} from '../support/browser-flow.js';
import { aTotpSecret } from '../support/factors.js';
import { aPasskey, type AskedAssertion } from '../support/passkeys.js';
import { redisUrl } from '../support/redis.js';
import { aServiceUser } from '../support/service-users.js';
import { aUser } from '../support/users.js';
import { anOrganization, type World } from '../support/world.js';
import { eventually } from './support/eventually.js';
import { Imports } from './support/imports.js';

const IMPORTED_MS = 120_000;

interface ExportedHuman {
  readonly userId: string;
  readonly user: Record<string, unknown> & { readonly passkeys: Record<string, unknown>[] };
}

interface Exported {
  readonly orgs: readonly { readonly humanUsers: ExportedHuman[] }[];
}

/** Signs in with a passkey alone. @returns who the ID token is of */
async function signInByPasskey(api: TestApi, world: World, key: Authenticator) {
  const client = await anApplication(world);
  const browser = new TestBrowser(api);
  const fields = await browser.openSignIn(codeRequest(client));
  const options = (await browser.post('/login/passkey/challenge', fields)).json<AskedAssertion>();
  const credential = JSON.stringify(key.assert(options));
  const code = redirected(await browser.post('/login/passkey', { ...fields, credential })).get('code');
  if (code === null) return undefined;
  const answer = await requestToken(api, redemption(code), basic(client));
  return decodeJwt(answer.json<{ id_token: string }>().id_token);
}

it('carries factors of every kind to another instance, where they go on working', async () => {
  const from = await startTestApi();
  const imports = await Imports.build(redisUrl());
  try {
    const source = await anOrganization(from);
    const own = await anOwnApplication(source);
    const [ada, grace, alan] = [await aUser(source), await aUser(source), await aUser(source)];
    const adasKey = await aPasskey(from, own, ada, 7);
    const app = await aTotpSecret(from, ada.userId);
    const gracesKey = await aPasskey(from, own, grace);
    const alansKey = await aPasskey(from, own, alan);
    // one who has nothing but a passkey, and where codes are sent
    await from.sql.query('DELETE FROM user_passwords WHERE user_id = $1', [grace.userId]);
    await from.sql.query(`INSERT INTO user_code_factors (user_id, org_id, kind) VALUES ($1, $2, 'email')`, [
      grace.userId,
      grace.orgId,
    ]);
    const root = await aServiceUser(source, 'IAM_OWNER');
    const wanted = { orgIds: [source.orgId], withPasswords: true };
    const plain = await root.call('POST', '/admin/v1/export', wanted);
    expect(plain.body).not.toMatch(/passkeys|otpCode/);
    const exported = await root.call('POST', '/admin/v1/export', { ...wanted, withOtp: true });
    const { orgs } = exported.json<Exported>();
    const humanUsers = orgs.flatMap(({ humanUsers: humans }) => humans);
    const passkeysOf = (userId: string) =>
      humanUsers.find((human) => human.userId === userId)?.user.passkeys ?? [];
    expect(passkeysOf(ada.userId)).toMatchObject([
      { rpId: 'id.test', credentialId: adasKey.id, signCount: 7, passwordless: true },
    ]);
    // one that was made for another host, and somebody who claims what is Ada's
    for (const passkey of passkeysOf(alan.userId)) passkey['rpId'] = 'old.test';
    const thief = {
      userId: 'thief',
      user: {
        userName: 'thief',
        profile: { firstName: 'T', lastName: 'T' },
        email: { email: 'thief@mail.test' },
        passkeys: passkeysOf(ada.userId),
      },
    };
    humanUsers.push(thief);
    const dataOrgs = { orgs: orgs.map((org) => ({ ...org, humanUsers })) };

    await imports.startWorker();
    const there = await aServiceUser(imports.world, 'IAM_OWNER');
    const headers = { prefer: 'respond-async' };
    const accepted = await there.call('POST', '/admin/v1/import', { dataOrgs }, { headers });
    expect(accepted.statusCode).toBe(202);
    const { importId } = accepted.json<{ importId: ImportJobId }>();
    const ended = await eventually('the end of the import', IMPORTED_MS, async () => {
      const job = await imports.engine.jobs.find(imports.world.orgId, importId);
      return job.state === 'done' ? job : undefined;
    });
    expect(ended.counts).toMatchObject({
      failed: 1,
      totpSecrets: 1,
      recoveryCodes: 0,
      codeFactors: 1,
      passkeys: 2,
      foreignPasskeys: 1,
    });
    const outcomes = await imports.engine.outcomes(ended);
    const named = outcomes.filter(({ path }) => path === 'passkeys');
    expect(named.map(({ givenId, code }) => [givenId, code])).toEqual([
      [alan.userId, 'left_out'],
      ['thief', 'duplicate'],
    ]);
    expect(await imports.count('users', `id = 'thief'`)).toBe(0);

    const { api, world } = imports;
    expect(await signInByPasskey(api, world, adasKey)).toMatchObject({
      sub: ada.userId,
      amr: ['user', 'mfa'],
    });
    expect(await signInByPasskey(api, world, gracesKey)).toMatchObject({ sub: grace.userId });
    expect(await signInByPasskey(api, world, alansKey)).toBeUndefined();
    const kept = await there.call('POST', '/admin/v1/export', { ...wanted, withOtp: true });
    const [again] = kept.json<Exported>().orgs;
    const adaAgain = again?.humanUsers.find(({ userId }) => userId === ada.userId)?.user;
    // it has counted on since
    expect(adaAgain?.passkeys).toMatchObject([
      { ...passkeysOf(ada.userId)[0], signCount: 8, lastUsedAt: expect.any(String) as string },
    ]);
    expect(adaAgain?.['otpCode']).toBe(app.secret);
    // besides the password, the authenticator app that they had
    const browser = new TestBrowser(api);
    const client = await anApplication(world);
    const signedIn = await browser.signIn(codeRequest(client), ada);
    const page = await browser.get(`${signedIn.headers.location ?? ''}&kind=totp`);
    const form = { ...hiddenFields(page.body), code: app.code(api) };
    const shown = await browser.post('/login/second-factor', form);
    expect(redirected(shown).get('code')).not.toBeNull();
  } finally {
    await imports.tearDown();
    await from.close();
  }
}, 300_000);
