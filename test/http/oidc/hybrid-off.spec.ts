import { expect, it } from 'vitest';
import { HYBRID_RESPONSE_TYPES } from '../../../src/domain/applications/oidc-config.js';
import { anApplication } from '../../support/applications.js';
import { aSignedInBrowser, authorizeUrl, codeRequest, HYBRID } from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectAnsweredError } from './support/answers.js';

// An instance that does not serve hybrid response types, and an application that has them all the same (security S025).

const { api, world } = useWorld();
const client = given(() => anApplication(world, HYBRID));
const user = given(() => aUser(world));
const signedIn = given(() => aSignedInBrowser(api, client, user));

it.each(HYBRID_RESPONSE_TYPES)('%s is unsupported, and answered as ever', async (response_type) => {
  const response = await signedIn.get(authorizeUrl(codeRequest(client, { response_type })));
  expectAnsweredError(response, 'unsupported_response_type', { by: 'query' });
});

it('discovery lists none of them, nor the hash of a code', async () => {
  const document = (await api.app.inject('/.well-known/openid-configuration')).json<object>();
  expect(document).toMatchObject({
    response_types_supported: ['code', 'id_token', 'id_token token'],
    claims_supported: expect.not.arrayContaining(['c_hash']) as string[],
  });
});
