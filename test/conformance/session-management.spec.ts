import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askFrame } from '../support/check-session.js';
import { endpointFaults } from './checks/discovery.js';
import { endSession, expectSignedOut, usual } from './modules/logout.js';
import { ModuleRun, randomText, type Success } from './support/module-run.js';
import { must } from './support/must.js';
import { Stage } from './support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.build({ SESSION_MANAGEMENT: 'on' });
});
afterAll(async () => {
  await stage.close();
});

async function begin(): Promise<ModuleRun> {
  return await ModuleRun.begin(stage, { responseType: 'code', formPost: false }, 'session');
}

/** What the frame says to the application, which has it on its page; the script runs here, with the cookies that a frame is given. */
async function statusOf(run: ModuleRun, done: Success): Promise<unknown> {
  const frame = new URL(String(run.document['check_session_iframe']));
  const page = await stage.http.send(frame);
  const message = `${run.client.clientId} ${done.parameters.get('session_state')}`;
  const { origin } = stage.suite;
  const answered = await askFrame(page.body, { message, origin, cookies: run.browser.scriptCookies(frame) });
  expect(answered?.to).toBe(origin);
  return answered?.text;
}

describe('oidcc-session-management-certification-test-plan', () => {
  it('oidcc-session-management-discovery-endpoint-verification', async () => {
    const { document } = await begin();
    expect(document).toMatchObject({
      check_session_iframe: expect.stringMatching(/^https:/) as string,
      end_session_endpoint: expect.any(String) as string,
    });
    must('discovery', endpointFaults(document));
  });

  it('oidcc-session-management-rp-initiated-logout', async () => {
    const run = await begin();
    const done = await run.succeed({ state: randomText(128) });
    expect(done.parameters.get('session_state')).toMatch(/^\S+$/);
    expect(await statusOf(run, done)).toBe('unchanged');
    await endSession(run, usual(run, done));
    expect(await statusOf(run, done)).toBe('changed');
    await expectSignedOut(run);
  });
});
