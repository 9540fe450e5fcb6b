import type { LightMyRequestResponse } from 'fastify';
import { expect } from 'vitest';
import type { TestApi } from './api.js';
import type { TestClient } from './applications.js';
import { Authenticator, type Ceremony } from './authenticator.js';
import { obtainTokens, type TestBrowser } from './browser-flow.js';
import { call } from './calls.js';
import type { TestUser } from './users.js';

/** Where the service is in tests. */
export const HOME = { origin: 'https://id.test', rpId: 'id.test' };

/** What a browser is asked to sign. */
export interface AskedAssertion extends Ceremony {
  readonly userVerification: string;
  readonly allowCredentials: readonly { readonly id: string }[];
}

/**
 * Has a passkey made, and the service keep it, for a user whom a password alone signs in.
 *
 * @param own an application of the instance's own project @param onceSignedIn what happens before the passkey is made
 */
export async function aPasskey(
  api: TestApi,
  own: TestClient,
  user: TestUser,
  signCount = 0,
  onceSignedIn: () => Promise<unknown> = () => Promise.resolve(),
): Promise<Authenticator> {
  const scope = 'openid urn:zitadel:iam:org:project:id:zitadel:aud';
  const { access_token: pat } = await obtainTokens(api, own, user, { scope });
  await onceSignedIn();
  const path = '/auth/v1/users/me/passkeys';
  const begun = await call(api, 'POST', `${path}/_begin`, { pat, body: {} });
  const { publicKey } = begun.json<{ publicKey: { challenge: string; user: { id: string } } }>();
  const key = new Authenticator(HOME);
  key.signCount = signCount;
  const body = { credential: key.register(publicKey) };
  expect((await call(api, 'POST', `${path}/_finish`, { pat, body })).statusCode).toBe(200);
  return key;
}

/** What the script of a page posts once an authenticator has answered: the page's form, and the answer in it. */
export async function postCredential(
  browser: TestBrowser,
  page: string,
  form: Record<string, string>,
  credential: object,
): Promise<LightMyRequestResponse> {
  return await browser.post(page, { ...form, credential: JSON.stringify(credential) });
}
