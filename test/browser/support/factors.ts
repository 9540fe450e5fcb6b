import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { toBase32 } from '../../../src/domain/shared/base32.js';
import { runAsAdmin } from '../../support/databases.js';
import { TestAuthenticator } from '../../support/factors.js';
import { eventually } from '../../workers/support/eventually.js';
import type { ImportedHuman, Stage } from './stage.js';
import type { Visitor } from './visitor.js';

const AUDIENCE = 'openid urn:zitadel:iam:org:project:id:zitadel:aud';

async function tokenOf(
  stage: Stage,
  visitor: Visitor,
  human: ImportedHuman,
  password: string,
): Promise<string> {
  const departure = stage.depart({ scope: AUDIENCE });
  await visitor.page.goto(departure.url);
  await visitor.signIn(human.loginName, password);
  const consent = visitor.page.getByRole('button', { name: 'Allow' });
  // no click that waits on: it would meet the next page that asks
  await Promise.race([visitor.isBack(), consent.waitFor()]);
  if (!visitor.page.url().includes('/pkce/callback?')) await consent.click();
  await visitor.isBack();
  const code = new URL(visitor.page.url()).searchParams.get('code');
  return (await stage.redeem(code, departure)).access_token;
}

/** Has a passkey made in the browser that is open, and the service keep it; a password alone must sign its user in. */
export async function enrolPasskey(
  stage: Stage,
  visitor: Visitor,
  human: ImportedHuman,
  password: string,
): Promise<void> {
  const token = await tokenOf(stage, visitor, human, password);
  const passkeys = async (path: string, body: object): Promise<object> => {
    const response = await fetch(`${stage.issuer}/auth/v1/users/me/passkeys/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    return (await response.json()) as object;
  };
  const options = await passkeys('_begin', { passwordless: true });
  await visitor.page.goto(`${stage.issuer}/`);
  const credential = await visitor.page.evaluate<object>(`(async ({ publicKey }) => {
    const options = PublicKeyCredential.parseCreationOptionsFromJSON(publicKey);
    return (await navigator.credentials.create({ publicKey: options })).toJSON();
  })(${JSON.stringify(options)})`);
  await passkeys('_finish', { name: 'Laptop', passwordless: true, credential });
}

/** Gives somebody an authenticator app, as an import does. */
export async function importAuthenticator(
  stage: Stage,
  { userId, email }: ImportedHuman,
): Promise<TestAuthenticator> {
  const secret = toBase32(randomBytes(20));
  const headers = { authorization: `Bearer ${stage.credentials.serviceUser.pat}` };
  const users = `${stage.issuer}/management/v1`;
  const record = {
    userName: email.split('@')[0],
    profile: { firstName: 'Ada', lastName: 'Lovelace' },
    email: { email, isEmailVerified: true },
    totpSecret: secret,
  };
  const sent = await fetch(`${users}/imports?mode=upsert`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-ndjson' },
    body: JSON.stringify(record),
  });
  expect(sent.status).toBeLessThan(300);
  await eventually('the authenticator app', 20_000, async () => {
    const factors = await fetch(`${users}/users/${userId}/factors`, { headers });
    return ((await factors.json()) as { totp: boolean }).totp ? true : undefined;
  });
  return new TestAuthenticator(secret);
}

/** Longer than any test takes. */
export const HELD_BACK_SECONDS = 600;

/** Has the next code of somebody wait for so long: the usual minute after the last one could be over before a page is looked at. */
export async function holdCodesBack(stage: Stage, { userId }: ImportedHuman): Promise<void> {
  await runAsAdmin(
    stage.database.url,
    `UPDATE verification_codes SET created_at = app_now() + interval '${HELD_BACK_SECONDS - 60} seconds'
     WHERE user_id = '${userId}'`,
  );
}
