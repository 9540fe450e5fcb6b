import { afterAll, beforeAll, expect, it } from 'vitest';
import { randomToken } from '../../src/domain/shared/random.js';
import { anApplication } from '../support/applications.js';
import { codeRequest, hiddenFields, redirected, TestBrowser } from '../support/browser-flow.js';
import { given } from '../support/given.js';
import { redisUrl } from '../support/redis.js';
import { aServiceUser } from '../support/service-users.js';
import { aUser, PASSWORD } from '../support/users.js';
import { useWorld } from '../support/world.js';
import { eventually } from './support/eventually.js';
import { dumpRedis } from './support/redis-server.js';
import { plain, SmtpSink, type ReceivedMail } from './support/smtp-sink.js';
import { WorkerProcess } from './support/worker-process.js';

let sink: SmtpSink;
let worker: WorkerProcess;

// From a form in the browser to the mailbox and back: API, outbox, relay, queue, worker, SMTP.

const { api, world } = useWorld();
beforeAll(async () => {
  await world.allowRegister();
});
const client = given(() => anApplication(world));
beforeAll(async () => {
  sink = await SmtpSink.start();
  worker = WorkerProcess.spawn({
    DATABASE_URL: api.database.serviceUrl,
    REDIS_URL: redisUrl(),
    QUEUE_PREFIX: api.config.queues.prefix,
    SMTP_URL: sink.url,
    PUBLIC_URL: 'http://id.localhost:8080',
  });
  await worker.untilReady();
});

afterAll(async () => {
  await worker.kill();
  await sink.stop();
});

async function arrival(to: string, nth: number): Promise<ReceivedMail> {
  return await eventually(`mail ${nth} to ${to}`, 15_000, () => sink.to(to)[nth - 1]);
}

function linkIn({ raw }: ReceivedMail, path: string): { url: string; code: string } {
  const url =
    new RegExp(`http://id\\.localhost:8080(${path}\\?id=[\\w-]+&code=\\w+)`).exec(plain(raw))?.[1] ?? '';
  return { url, code: new URLSearchParams(url.split('?')[1]).get('code') ?? '' };
}

it('a forgotten password is replaced with what the mail brings, and the owner hears of it', async () => {
  const user = await aUser(world);
  const browser = new TestBrowser(api);
  const form = hiddenFields((await browser.get('/password/forgotten')).body);
  await browser.post('/password/forgotten', { ...form, loginName: user.loginName });
  const to = `${user.userName}@mail.test`;
  const { url, code } = linkIn(await arrival(to, 1), '/password/reset');
  const fields = hiddenFields((await browser.get(url)).body);
  const passwords = { newPassword: 'Marker-Fr3sh!', repeatPassword: 'Marker-Fr3sh!' };
  expect((await browser.post('/password/reset', { ...fields, code, ...passwords })).statusCode).toBe(200);
  expect((await arrival(to, 2)).raw).toMatch(/^Subject: .*was changed/m);
});

it('an account is made with what the mail brings; a second one brings a notice instead', async () => {
  const email = `new-${randomToken(6)}@mail.test`.toLowerCase();
  for (const isFirst of [true, false]) {
    const browser = new TestBrowser(api);
    const { flow } = await browser.openSignIn(codeRequest(client));
    const form = hiddenFields((await browser.get(`/register?flow=${flow}`)).body);
    const asked = await browser.post('/register', { ...form, email, newPassword: PASSWORD });
    expect(asked.headers.location).toMatch(/^\/register\/verify/);
    if (!isFirst) continue;
    const { url, code } = linkIn(await arrival(email, 1), '/register/verify');
    const fields = hiddenFields((await browser.get(url)).body);
    expect(redirected(await browser.post('/register/verify', { ...fields, code })).has('code')).toBe(true);
  }
  expect((await arrival(email, 2)).raw).toMatch(/^Subject: .*already have an account/m);
});

it('a mail comes in the organization’s own words, set a moment before', async () => {
  const owner = await aServiceUser(world, 'ORG_OWNER');
  const texts = {
    subject: 'Hello {{displayName}} at {{organizationName}}',
    text: 'Words of our own.\n\nUntil {{expiresAt}}.',
    button: 'Come in',
  };
  const put = await owner.call('PUT', 'templates/reset_password/en', texts);
  expect(put.statusCode, put.body).toBe(200);
  const user = await aUser(world);
  const browser = new TestBrowser(api);
  const form = hiddenFields((await browser.get('/password/forgotten')).body);
  await browser.post('/password/forgotten', { ...form, loginName: user.loginName });
  const mail = await arrival(`${user.userName}@mail.test`, 1);
  expect(mail.raw).toMatch(/^Subject: Hello Ada Lovelace at /m);
  expect(plain(mail.raw).match(/Words of our own\./g)).toHaveLength(2);
  expect(plain(mail.raw)).toContain('Come in:');
  // what is ours stays
  expect((await browser.get(linkIn(mail, '/password/reset').url)).statusCode).toBe(200);
});

it('leaves no name, address or code in Redis or in the log (I6)', async () => {
  const codes = sink.received
    .map((mail) => /code=(\w+)/.exec(plain(mail.raw))?.[1])
    .filter((code) => code !== undefined);
  expect(codes).toHaveLength(3);
  for (const told of [await dumpRedis(redisUrl(), api.config.queues.prefix), worker.log]) {
    expect(told).not.toMatch(/SECRET|mail\.test|Lovelace/);
    for (const code of codes) expect(told).not.toContain(code);
  }
  // the worker notes what has become of a mail after it has come
  const kept = async () =>
    (await api.sql.query(`SELECT id FROM notifications WHERE content_sealed IS NOT NULL`)).rows;
  await expect.poll(kept).toEqual([]);
});
