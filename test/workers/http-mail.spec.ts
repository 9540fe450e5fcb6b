import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useApiPerTest } from '../support/api.js';
import { HttpGateway, isSignedBy } from '../support/http-gateway.js';
import { aServiceUser } from '../support/service-users.js';
import { anOrganization } from '../support/world.js';
import { eventually } from './support/eventually.js';
import { Seed, type QueuedMail } from './support/seed.js';
import { useWorkers } from './support/use-workers.js';

const SIGNING_KEY = 'marker-signing-key-of-the-gateway';

const api = useApiPerTest({ OUTBOUND_PRIVATE_ADDRESSES: 'allow' });
let gateway: HttpGateway;
let seed: Seed;

beforeEach(async () => {
  gateway = await HttpGateway.start();
  const { pat } = await aServiceUser(await anOrganization(api), 'IAM_OWNER');
  await gateway.use(api, pat, SIGNING_KEY);
  seed = await Seed.plant(api.sql);
  await workers.spawn().untilReady();
});
afterEach(() => gateway.stop());
const workers = useWorkers(api);

async function until(mail: QueuedMail, wanted: { state: string; lastError: string | null }): Promise<void> {
  await eventually(`${wanted.state} (${wanted.lastError})`, 30_000, async () => {
    const { state, lastError } = await seed.stateOf(mail);
    return state === wanted.state && lastError === wanted.lastError;
  });
}

describe('a mail by an HTTP provider (F27)', () => {
  it('was sent when the answer is 202: it leaves once', async () => {
    const mail = await seed.queueMail();
    await until(mail, { state: 'sent', lastError: null });
    const [request, ...more] = gateway.to(mail.to);
    expect(more).toEqual([]);
    expect(request?.body).toContain(mail.code);
    expect(request !== undefined && isSignedBy(SIGNING_KEY, request)).toBe(true);
    expect(await seed.count('outbox', `id = ${mail.outboxId}`)).toBe(0);
  });

  it('was not when it is 200 with an error in the body: it is tried again, under the same name', async () => {
    const errors = 2;
    // before it is queued: the worker may have sent it by the time that its address is known here
    gateway.answer = () =>
      gateway.requests.length <= errors
        ? { status: 200, body: '{"error":"quota of the minute"}' }
        : { status: 202 };
    const mail = await seed.queueMail();
    await until(mail, { state: 'sent', lastError: null });
    const requests = gateway.to(mail.to);
    expect(requests).toHaveLength(errors + 1);
    expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it('was not when it is 301: the address it leads to is not asked, and the mail is kept', async () => {
    gateway.answer = () => ({ status: 301, headers: { location: '/elsewhere' } });
    const mail = await seed.queueMail();
    await eventually('the refusal', 30_000, async () => (await seed.stateOf(mail)).lastError === 'http_301');
    expect((await seed.stateOf(mail)).state).not.toBe('sent');
    expect(new Set(gateway.requests.map(({ path }) => path))).toEqual(new Set(['/hook']));
    expect(await seed.count('outbox', `id = ${mail.outboxId}`)).toBe(1);
  });
});
