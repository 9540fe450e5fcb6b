import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeSigner } from '../support/assertions.js';
import { parseObject } from './checks/json.js';
import { DYNAMIC_SETTINGS, Registrar } from './support/dynamic-run.js';
import { Stage } from './support/stage.js';

// Clients that somebody else begins a sign-in to (OpenID Connect Core §4). The provider keeps where, and tells it.

let stage: Stage;
let registrar: Registrar;

beforeAll(async () => {
  stage = await Stage.build(DYNAMIC_SETTINGS);
  registrar = await Registrar.of(stage);
});
afterEach(async () => {
  await registrar.removeAll();
});
afterAll(() => stage.close());

describe('oidcc-3rdparty-init-login-certification-test-plan', () => {
  it('oidcc-3rd_party-init-login', async () => {
    const initiateLoginUri = `${stage.suite.origin}/test/a/identity/initiate_login`;
    const { run, client } = await registrar.begin({ initiate_login_uri: initiateLoginUri });
    expect(client['initiate_login_uri']).toBe(initiateLoginUri);
    const read = await registrar.at(client, 'GET');
    expect(read.status).toBe(200);
    expect(parseObject(read.body)).toMatchObject({ initiate_login_uri: initiateLoginUri });
    // REVIEW in the suite: a browser that somebody sends to the client comes from there to the usual request
    await run.succeed();
    const moved = `${initiateLoginUri}/moved`;
    const asked = { ...registrar.metadata(makeSigner('RS256')), client_id: client['client_id'] };
    const changed = await registrar.at(client, 'PUT', { ...asked, initiate_login_uri: moved });
    expect(changed.status).toBe(200);
    expect(parseObject(changed.body)).toMatchObject({ initiate_login_uri: moved });
    expect(parseObject((await registrar.at(client, 'GET')).body)).toMatchObject({
      initiate_login_uri: moved,
    });
  });

  it('oidcc-3rd_party-init-login-nohttps', async () => {
    const initiateLoginUri = `${stage.suite.origin.replace('https:', 'http:')}/initiate_login`;
    const metadata = registrar.metadata(makeSigner('RS256'), { initiate_login_uri: initiateLoginUri });
    expect(await registrar.expectRefused(metadata, 'invalid_client_metadata')).toContain(
      'initiate_login_uri must use https',
    );
  });
});
