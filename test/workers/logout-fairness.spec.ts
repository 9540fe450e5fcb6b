import { setTimeout as sleep } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hiddenFields, TestBrowser } from '../support/browser-flow.js';
import { redisUrl } from '../support/redis.js';
import { aUser } from '../support/users.js';
import { eventually } from './support/eventually.js';
import { Logouts } from './support/logouts.js';
import { RelyingParty } from './support/relying-party.js';
import { SmtpSink } from './support/smtp-sink.js';

const FLOOD = 300;

let logouts: Logouts;
let others: RelyingParty;
let sink: SmtpSink;

beforeAll(async () => {
  [logouts, others, sink] = await Promise.all([
    Logouts.build(redisUrl()),
    RelyingParty.start(),
    SmtpSink.start(),
  ]);
});
afterAll(async () => {
  await Promise.all([logouts.tearDown(), others.stop(), sink.stop()]);
});

/** As many as a deactivated organization has, of the notice that is queued. */
async function multiply(sid: string): Promise<void> {
  await logouts.api.sql.query(
    `WITH queued AS MATERIALIZED (
       SELECT new_id() AS id, n.org_id, n.user_id, n.application_id, n.session_id || g AS session_id
       FROM logout_notices n, generate_series(1, ${FLOOD}) AS g WHERE n.session_id = $1
     ), enqueued AS (
       INSERT INTO outbox (queue, job_name, payload, lane)
       SELECT 'notifications', 'deliver-logout', jsonb_build_object('logoutNoticeId', id), 'normal' FROM queued
       RETURNING id, payload ->> 'logoutNoticeId' AS notice_id
     )
     INSERT INTO logout_notices (id, org_id, user_id, session_id, application_id, outbox_id)
     SELECT q.id, q.org_id, q.user_id, q.session_id, q.application_id, d.id
     FROM queued q JOIN enqueued d ON d.notice_id = q.id`,
    [sid],
  );
}

it('lets notices and messages of others out while one organization’s endpoint takes its time (S363)', async () => {
  let most = 0;
  logouts.party.reply = async () => {
    most = Math.max(most, logouts.party.answering);
    // two seconds before the worker gives up: this process may be late
    await sleep(3_000);
    return 200;
  };
  const flooding = await logouts.signOut(await logouts.application(logouts.party.uri()));
  await multiply(flooding.sid);
  await logouts.startWorker({ SMTP_URL: sink.url });
  await eventually('the flood', 20_000, () => most > 0);

  const other = await logouts.ofOthers();
  const queued = await other.signOut(await other.application(others.uri()));
  const user = await aUser(other.world);
  const browser = new TestBrowser(logouts.api);
  const form = hiddenFields((await browser.get('/password/forgotten')).body);
  await browser.post('/password/forgotten', { ...form, loginName: user.loginName });
  await eventually('the notice of another organization', 15_000, async () => {
    return (await logouts.stateOf(queued)).state === 'delivered';
  });
  await eventually('an urgent mail', 15_000, () => sink.received.length > 0);

  // none is lost, and none was tried that found no place
  expect(most).toBe(3);
  const flood = `application_id = (SELECT application_id FROM logout_notices WHERE session_id = '${flooding.sid}')`;
  expect(await logouts.count('logout_notices', `${flood} AND state = 'abandoned'`)).toBe(0);
  const tried = await logouts.count('logout_notices', `${flood} AND attempts > 0`);
  expect(tried).toBeLessThanOrEqual(logouts.party.received.length + 3);
  logouts.party.reply = () => 200;
  await eventually('the end of the flood', 170_000, async () => {
    return (await logouts.count('logout_notices', `${flood} AND state = 'delivered'`)) === FLOOD + 1;
  });
  // one whose answer came too late is told once more, under the same name
  const told = logouts.party.received.map(({ form }) => decodeJwt(form.get('logout_token') ?? '').jti);
  expect(new Set(told).size).toBe(FLOOD + 1);
}, 240_000);
