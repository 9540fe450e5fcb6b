import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../workers/support/eventually.js';
import { WorkerProcess } from '../workers/support/worker-process.js';
import { endpointFaults } from './checks/discovery.js';
import { logoutRequestFaults } from './checks/logout-token.js';
import { expectSignedOut, signOutAsUsual } from './modules/logout.js';
import { ModuleRun } from './support/module-run.js';
import { must } from './support/must.js';
import { Stage } from './support/stage.js';

// The application is told by a worker: a real process, which trusts the suite's certificate as an operator would
// make it trust one of a company's own.

let stage: Stage;
let worker: WorkerProcess;
let folder: string;

beforeAll(async () => {
  stage = await Stage.build();
  folder = await mkdtemp(path.join(os.tmpdir(), 'conformance-'));
  const trusted = path.join(folder, 'suite.pem');
  await writeFile(trusted, stage.certificate.cert);
  worker = WorkerProcess.spawn({
    ...stage.api.environment,
    LOG_LEVEL: 'info',
    NODE_EXTRA_CA_CERTS: trusted,
  });
  await worker.untilReady();
});
afterAll(async () => {
  await worker.kill();
  await stage.close();
  await rm(folder, { recursive: true });
});

async function begin(): Promise<ModuleRun> {
  return await ModuleRun.begin(stage, { responseType: 'code', formPost: false }, 'backchannel');
}

describe('oidcc-backchannel-rp-initiated-logout-certification-test-plan', () => {
  it('oidcc-backchannel-logout-discovery-endpoint-verification', async () => {
    const { document } = await begin();
    expect(document).toMatchObject({
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
      end_session_endpoint: expect.any(String) as string,
    });
    must('discovery', endpointFaults(document));
  });

  it('oidcc-backchannel-rp-initiated-logout', async () => {
    const run = await begin();
    const done = await signOutAsUsual(run);
    const { suite } = stage;
    await eventually(
      'the back-channel request',
      20_000,
      () => suite.receivedAt(suite.backchannelUri).length > 0,
    );
    const [call, ...more] = suite.receivedAt(suite.backchannelUri);
    if (call === undefined) throw new Error('no back-channel request');
    expect(more).toEqual([]);
    must(
      'back-channel request',
      await logoutRequestFaults(call, {
        issuer: run.issuer,
        clientId: run.client.clientId,
        idToken: done.claims,
        jwks: run.jwks,
        nowSeconds: stage.nowSeconds,
      }),
    );
    await expectSignedOut(run);
  });
});
