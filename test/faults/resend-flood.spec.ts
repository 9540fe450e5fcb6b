import { Agent, request } from 'node:http';
import { expect, it } from 'vitest';
import { anyFreePort } from '../../scripts/ports.mjs';
import { startTestApi } from '../support/api.js';
import { aPhoneUser, NO_SMS_LIMITS, RESEND, smsQueued, TWILIO, type PhoneUser } from '../support/sms.js';
import { anOrganization } from '../support/world.js';
import { startOwnRedis } from '../workers/support/redis-server.js';
import { ApiProcess } from './support/api-process.js';

const REPLICAS = 5;
const REQUESTS = Number(process.env['F47_REQUESTS'] ?? 10_000);
const AT_ONCE = 250;
const USERS = 10;
const OF_A_USER = 5;
const OF_THE_ORGANIZATION = 22;
/** A fifth of the cap is kept for second factors. */
const CAP_OF_THE_ORGANIZATION = 27;

it(`F47: ${REQUESTS} resends over five replicas while Redis is down get no SMS beyond the caps`, async () => {
  const redis = await startOwnRedis();
  const environment = {
    ...TWILIO,
    ...NO_SMS_LIMITS,
    SMS_CAP_USER: `${OF_A_USER}/1h`,
    SMS_CAP_ORGANIZATION: `${CAP_OF_THE_ORGANIZATION}/1h`,
  };
  const api = await startTestApi({ ...environment, REDIS_URL: redis.url });
  const replicas: ApiProcess[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE / REPLICAS });
  try {
    const world = await anOrganization(api);
    const users: PhoneUser[] = [];
    for (let count = 0; count < USERS; count++) {
      users.push(await aPhoneUser(world, `+4179${100 + count}1234`));
    }
    for (let count = 0; count < REPLICAS; count++) {
      const port = String(await anyFreePort());
      replicas.push(
        ApiProcess.spawn({
          ...api.environment,
          LOG_LEVEL: 'info',
          HOST: '127.0.0.1',
          PORT: port,
          DATABASE_POOL_SIZE: '6',
        }),
      );
    }
    await Promise.all(replicas.map((replica) => replica.untilReady()));
    await redis.stop();

    const counts: Record<number, number> = {};
    let next = 0;
    const caller = async (): Promise<void> => {
      for (let index = next++; index < REQUESTS; index = next++) {
        const origin = replicas[index % REPLICAS]?.origin ?? '';
        const status = await post(`${origin}${RESEND}`, users[index % USERS]?.pat ?? '', agent);
        counts[status] = (counts[status] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, caller));

    expect(await smsQueued(api)).toBe(OF_THE_ORGANIZATION);
    // 503: no connection to PostgreSQL was free in time, so nothing could be counted and nothing was sent
    const { 200: sent = 0, 429: refused = 0, 503: busy = 0 } = counts;
    expect(sent).toBe(OF_THE_ORGANIZATION);
    expect(sent + refused + busy).toBe(REQUESTS);
    expect(refused).toBeGreaterThan(busy);
    const { rows } = await api.sql.query<{ most: number }>(
      `SELECT max(count)::integer AS most FROM
         (SELECT count(*) FROM notifications WHERE channel = 'sms' GROUP BY user_id) AS each`,
    );
    expect(rows[0]?.most).toBeLessThanOrEqual(OF_A_USER);
  } finally {
    agent.destroy();
    for (const replica of replicas) await replica.kill();
    await api.close();
    await redis.stop();
  }
});

/** @returns the status */
async function post(url: string, pat: string, agent: Agent): Promise<number> {
  return await new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${pat}`, 'content-type': 'application/json' };
    const call = request(url, { method: 'POST', headers, agent }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    call.on('error', reject).end('{}');
  });
}
