import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { deriveKey, masterKeyId, sealBytes } from '../../src/domain/secrets/envelope.js';
import { KeyRing } from '../../src/domain/signing-keys/key-ring.js';
import { importCalls, ndjson } from '../http/management-api/import-calls.js';
import { startTestApi, type TestApi } from '../support/api.js';
import { anApplication } from '../support/applications.js';
import { basic, obtainTokens, refreshTokens, type TokenAnswer } from '../support/browser-flow.js';
import { postForm } from '../support/calls.js';
import { HttpGateway, isSignedBy } from '../support/http-gateway.js';
import { importHuman, record } from '../support/human-records.js';
import { aServiceUser } from '../support/service-users.js';
import { aUser } from '../support/users.js';
import { anOrganization } from '../support/world.js';
import { eventually } from './support/eventually.js';
import { WorkerProcess } from './support/worker-process.js';

const run = promisify(execFile);
const DIST = process.env['TEST_DIST'] ?? path.resolve('dist');
const [OLD, NEW] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];

/** `npm run rewrap-keys`, as an operator runs it. */
async function rewrap(api: TestApi, keys: Readonly<Record<string, string>>): Promise<string> {
  const env = { PATH: process.env['PATH'], ...api.environment, ...keys };
  const { stdout } = await run(process.execPath, [path.join(DIST, 'src/cli/rewrap-keys.js')], { env });
  return stdout;
}

const SIGNING_KEY = 'marker-signing-key-of-the-gateway';
const TOTP = ['JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'] as const;

async function masterKeysOf(api: TestApi): Promise<string[]> {
  const { rows } = await api.sql.query<{ id: string }>(
    `SELECT master_key_id AS id FROM data_keys ORDER BY id`,
  );
  return rows.map(({ id }) => id);
}

/** As one that was current before would be there: nothing is sealed under it any more. */
async function addPreviousDataKey(api: TestApi): Promise<void> {
  const master = Buffer.from(OLD, 'base64');
  const id = masterKeyId(master);
  await api.sql.query(`INSERT INTO data_keys (wrapped, master_key_id, state) VALUES ($1, $2, 'previous')`, [
    sealBytes(deriveKey(master, 'data-key-wrap'), randomBytes(32), id),
    id,
  ]);
}

const introspect = async (at: TestApi, token: string, headers: Record<string, string>) =>
  await postForm(at, '/oauth/v2/introspect', { token }, headers);

it('a new master key opens all that the old one sealed, and the old one is needed no longer', async () => {
  const first = await startTestApi({ MASTER_KEY: OLD, SMTP_URL: 'smtp://127.0.0.1:9' });
  const running: TestApi[] = [];
  try {
    const world = await anOrganization(first);
    const client = await anApplication(world, {});
    const user = await aUser(world);
    const before = await obtainTokens(first, client, user);
    const kid = (await first.app.get(KeyRing).currentSigner()).kid;
    const sealed = async () =>
      (
        await first.sql.query<{ kind: string }>(
          `SELECT 'key' AS kind FROM signing_keys WHERE private_sealed IS NOT NULL
           UNION ALL SELECT 'token key' FROM token_keys`,
        )
      ).rows.length;
    expect(await sealed()).toBe(3);

    const both = { MASTER_KEY: NEW, MASTER_KEY_PREVIOUS: OLD };
    running.push(await startTestApi(both, first));
    expect(await rewrap(first, both)).toContain('Re-wrapped 1 data key(s).');
    expect(await rewrap(first, both)).toContain('Every data key is already wrapped with MASTER_KEY.');

    // without the old one anywhere
    const fresh = await startTestApi({ MASTER_KEY: NEW }, first);
    running.push(fresh);
    expect((await fresh.app.get(KeyRing).currentSigner()).kid).toBe(kid);
    expect((await introspect(fresh, before.access_token, basic(client))).json()).toMatchObject({
      active: true,
    });
    const renewed = (await refreshTokens(fresh, client, before)).json<TokenAnswer>();
    // processes that were started before go on
    for (const replica of [first, ...running]) {
      const answer = await introspect(replica, renewed.access_token, basic(client));
      expect(answer.json()).toMatchObject({ active: true });
    }
    await expect(startTestApi({ MASTER_KEY: OLD }, first)).rejects.toThrow('MASTER_KEY');
    await expect(rewrap(first, { MASTER_KEY: OLD })).rejects.toThrow('MASTER_KEY');
  } finally {
    for (const replica of running) await replica.close();
    await first.close();
  }
});

it('what was promised before the change is done after it, also when the command was killed in the middle', async () => {
  const first = await startTestApi({ MASTER_KEY: OLD, OUTBOUND_PRIVATE_ADDRESSES: 'allow' });
  const gateway = await HttpGateway.start();
  const workers: WorkerProcess[] = [];
  const spawn = async (MASTER_KEY: string) => {
    const worker = WorkerProcess.spawn({ ...first.environment, LOG_LEVEL: 'info', MASTER_KEY });
    workers.push(worker);
    await worker.untilReady();
    return worker;
  };
  let fresh: TestApi | undefined;
  try {
    const world = await anOrganization(first);
    const root = await aServiceUser(world, 'IAM_OWNER');
    const owner = await aServiceUser(world, 'ORG_OWNER');
    await gateway.use(first, root.pat, SIGNING_KEY);
    const calls = importCalls(() => ({ api: fresh ?? first, owner }));
    const isDone = async (id: string) => (await calls.find(id)).state === 'done';

    // a TOTP secret that is on file, and then all that is only promised: an import with another, and a mail
    const before = await calls.uploaded(ndjson(record({ totpSecret: TOTP[0] })));
    const worker = await spawn(OLD);
    await eventually('the first import', 30_000, () => isDone(before.id));
    await worker.kill();
    const upload = { headers: { 'idempotency-key': 'import-1' } };
    const file = ndjson(record({ totpSecret: TOTP[1] }), record());
    const promised = await calls.uploaded(file, upload);
    const address = 'marker.ada@mail.test';
    const mailed = record({ email: { email: address, isEmailVerified: false } });
    const once = { 'idempotency-key': 'human-1' };
    const answered = await importHuman(first, owner.pat, mailed, once);
    expect(answered.statusCode).toBe(200);
    await addPreviousDataKey(first);

    const both = { MASTER_KEY: NEW, MASTER_KEY_PREVIOUS: OLD };
    const [old, renewed] = [OLD, NEW].map((key) => masterKeyId(Buffer.from(key, 'base64')));
    const killed = rewrap(first, { ...both, CRASH_AT: 'rewrap-in-transaction' });
    await expect(killed).rejects.toMatchObject({ signal: 'SIGKILL' });
    // all of it or nothing: no key is left that the old master key alone would not open
    expect(await masterKeysOf(first)).toEqual([old, old]);
    await (await startTestApi({ MASTER_KEY: OLD }, first)).close();
    expect(await rewrap(first, both)).toContain('Re-wrapped 2 data key(s).');
    expect(await masterKeysOf(first)).toEqual([renewed, renewed]);

    // without the old one anywhere
    fresh = await startTestApi({ ...first.environment, MASTER_KEY: NEW }, first);
    expect(gateway.requests).toEqual([]);
    await spawn(NEW);
    await eventually('the import', 30_000, () => isDone(promised.id));
    expect(await calls.find(promised.id)).toMatchObject({ counts: { created: 2, failed: 0 } });
    // answers that were kept for their Idempotency-Keys
    expect((await calls.uploaded(file, upload)).id).toBe(promised.id);
    expect((await importHuman(fresh, owner.pat, mailed, once)).json()).toEqual(answered.json());
    const [mail, ...more] = await eventually('the mail', 30_000, () => {
      const found = gateway.to(address);
      return found.length > 0 && found;
    });
    expect(more).toEqual([]);
    expect(mail !== undefined && isSignedBy(SIGNING_KEY, mail)).toBe(true);
    const wanted = { withOtp: true };
    const exported = await root.call('POST', '/admin/v1/export', wanted, { on: fresh });
    for (const secret of TOTP) expect(exported.body).toContain(secret);
  } finally {
    for (const worker of workers) await worker.kill();
    await fresh?.close();
    await first.close();
    await gateway.stop();
  }
});
