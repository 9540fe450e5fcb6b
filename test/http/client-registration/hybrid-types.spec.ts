import { expect, it } from 'vitest';
import { startTestApi } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import { answerOf, aSignedInBrowser, authorizeUrl, codeRequest } from '../../support/browser-flow.js';
import {
  anInitialToken,
  aRegistered,
  metadata,
  REGISTER,
  registering,
} from '../../support/client-registration.js';
import { given } from '../../support/given.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectOAuthError } from '../oidc/support/answers.js';

// Response types with a code and a token, of applications that register themselves.

const SETTINGS = { CLIENT_REGISTRATION: 'token', RATE_LIMIT_REGISTRATION: '0' };
const { api, world } = useWorld({ ...SETTINGS, HYBRID_FLOW: 'on' });
const initial = given(() => anInitialToken(world));
const user = given(() => aUser(world));
const known = given(() => anApplication(world));

const HYBRID = { response_types: ['code', 'code id_token'], grant_types: ['authorization_code', 'implicit'] };

it('are registered, answered, and sent again as they were answered (RFC 7592 §2.2)', async () => {
  const registered = await aRegistered(api, initial.token, HYBRID);
  expect(registered).toMatchObject(HYBRID);
  const own = `${REGISTER}/${registered.client_id}`;
  const { registration_access_token: token } = registered;
  const again = await registering(api, 'PUT', own, token, {
    ...metadata(HYBRID),
    client_id: registered.client_id,
  });
  expect({ status: again.statusCode, ...again.json<object>() }).toMatchObject({ status: 200, ...HYBRID });
  const client = { id: '', clientId: registered.client_id, clientSecret: registered.client_secret };
  const browser = await aSignedInBrowser(api, known, user);
  const request = codeRequest(client, { response_type: 'code id_token' });
  const { by, parameters } = answerOf(await browser.get(authorizeUrl(request)));
  expect({ by, names: [...parameters.keys()] }).toEqual({
    by: 'fragment',
    names: ['code', 'id_token', 'state', 'iss'],
  });
});

it.each([['authorization_code'], ['implicit']])('are refused with %s alone', async (grant) => {
  const body = metadata({ ...HYBRID, response_types: ['code id_token'], grant_types: [grant] });
  const response = await registering(api, 'POST', REGISTER, initial.token, body);
  expect(expectOAuthError(response, 400, 'invalid_client_metadata')).toContain('code id_token needs');
});

it('are unknown where the instance does not serve them', async () => {
  const other = await startTestApi(SETTINGS, api);
  try {
    const response = await registering(other, 'POST', REGISTER, initial.token, metadata(HYBRID));
    expectOAuthError(response, 400, 'invalid_client_metadata');
  } finally {
    await other.close();
  }
});
