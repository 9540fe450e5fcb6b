import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpointFaults } from './checks/discovery.js';
import { expectSignedOut, signOutAsUsual } from './modules/logout.js';
import { ModuleRun } from './support/module-run.js';
import { must } from './support/must.js';
import { Stage } from './support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.build({ FRONT_CHANNEL_LOGOUT: 'on' });
});
afterAll(async () => {
  await stage.close();
});

async function begin(): Promise<ModuleRun> {
  return await ModuleRun.begin(stage, { responseType: 'code', formPost: false }, 'frontchannel');
}

describe('oidcc-frontchannel-rp-initiated-logout-certification-test-plan', () => {
  it('oidcc-frontchannel-logout-discovery-endpoint-verification', async () => {
    const { document } = await begin();
    expect(document).toMatchObject({
      frontchannel_logout_supported: true,
      frontchannel_logout_session_supported: true,
      end_session_endpoint: expect.any(String) as string,
    });
    must('discovery', endpointFaults(document));
  });

  it('oidcc-frontchannel-rp-initiated-logout', async () => {
    const run = await begin();
    const done = await signOutAsUsual(run);
    const { suite } = stage;
    const calls = suite.receivedAt(suite.frontchannelUri);
    expect(calls).toMatchObject([{ method: 'GET' }]);
    // no other parameter: that would be a WARN
    expect(Object.fromEntries(calls[0]?.query ?? [])).toEqual({
      iss: run.issuer,
      sid: done.claims['sid'],
    });
    // before the application has the person back
    expect(suite.received.at(-1)?.path).toBe(new URL(suite.postLogoutUri).pathname);
    await expectSignedOut(run);
  });
});
