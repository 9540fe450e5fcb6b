import type { LightMyRequestResponse } from 'fastify';
import { SignJWT } from 'jose';
import type { TestApi } from '../../../support/api.js';
import { asserted, type AssertingClient, type AssertionChanges } from '../../../support/assertions.js';
import { codeRequest, pkce } from '../../../support/browser-flow.js';
import { postForm } from '../../../support/calls.js';
import { proofOf, type ProofKey } from '../../../support/dpop.js';

// What applications under FAPI 2.0 send.

export const { verifier: VERIFIER, challenge: PKCE } = pkce();

/** A form with the client's assertion in it, and with a DPoP proof where there is a key. */
export async function postAsserted(
  api: TestApi,
  path: string,
  form: Record<string, string>,
  client: AssertingClient,
  key: ProofKey | undefined,
  changes?: AssertionChanges,
): Promise<LightMyRequestResponse> {
  const headers = key === undefined ? {} : { dpop: await proofOf(key, 'POST', path) };
  return await postForm(api, path, { ...form, ...(await asserted(client, changes)) }, headers);
}

/** A signed request object (RFC 9101), good for five minutes, with an answer that is a JWT as well. */
export async function aRequestObject(
  client: AssertingClient,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    ...codeRequest(client, { ...PKCE, response_mode: 'jwt' }),
    iss: client.clientId,
    aud: 'https://id.test',
    nbf: now,
    exp: now + 300,
    ...changes,
  };
  return await new SignJWT(claims)
    .setProtectedHeader({ alg: client.signer.alg, kid: client.keyId, typ: 'oauth-authz-req+jwt' })
    .sign(client.signer.privateKey);
}
