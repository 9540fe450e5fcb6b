import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PostgresPair } from '../support/postgres-pair.js';
import { eventually } from '../workers/support/eventually.js';
import { TcpProxy } from '../workers/support/tcp-proxy.js';
import { expectInvariants } from './support/invariants.js';
import { people } from './support/people.js';
import { onSite, SLOW, type Site } from './support/site.js';

const RECORDS = 2_000;
/** What people wait at most once the standby takes writes. */
const SIGN_INS_AGAIN_MS = 15_000;

let pair: PostgresPair;
let proxy: TcpProxy;
beforeEach(async () => {
  pair = await PostgresPair.start();
  proxy = await TcpProxy.before(pair.primary.port);
});
afterEach(async () => {
  await proxy.stop();
  await pair.stop();
});

/**
 * Somebody who makes users one after the other and repeats each call under its key until it is acknowledged, and an
 * application that refreshes. What either was told is what must still be so afterwards.
 */
class Witness {
  readonly acknowledged: string[] = [];
  private running = true;
  private readonly loops: Promise<unknown>;
  private refreshToken: string | undefined;
  refreshes = 0;
  /** Answers that were neither good nor "try again". */
  readonly wrong: string[] = [];

  constructor(private readonly site: Site) {
    this.loops = Promise.all([this.makeUsers(), this.refresh()]);
  }

  async stop(): Promise<void> {
    this.running = false;
    await this.loops;
  }

  private async makeUsers(): Promise<void> {
    while (this.running) {
      const userName = `witness-${randomUUID()}`;
      const key = randomUUID();
      await this.untilAcknowledged(async () => {
        const answer = await fetch(`${this.site.origin}/management/v1/users/human/_import`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${this.site.credentials.serviceUser.pat}`,
            'content-type': 'application/json',
            'idempotency-key': key,
          },
          body: JSON.stringify({
            userName,
            profile: { firstName: 'Markerfirst', lastName: 'Markerlast' },
            email: { email: `${userName}@marker.test`, isEmailVerified: true },
          }),
        });
        return { status: answer.status, body: await answer.text() };
      });
      this.acknowledged.push(userName);
      await sleep(50);
    }
  }

  /** Each refresh token is good once: a chain that goes on was kept link by link. */
  private async refresh(): Promise<void> {
    const { clientId, clientSecret } = this.site.credentials.webApplication;
    const basic = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`);
    this.refreshToken = await this.site.load.freshRefreshToken();
    while (this.running) {
      const { body } = await this.untilAcknowledged(async () => {
        const answer = await fetch(`${this.site.origin}/oauth/v2/token`, {
          method: 'POST',
          headers: {
            authorization: `Basic ${basic.toString('base64')}`,
            'content-type': 'application/x-www-form-urlencoded',
          },
          body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: this.refreshToken ?? '' }),
        });
        return { status: answer.status, body: await answer.text() };
      });
      this.refreshToken = (JSON.parse(body) as { refresh_token: string }).refresh_token;
      this.refreshes += 1;
      await sleep(100);
    }
  }

  private async untilAcknowledged(ask: () => Promise<{ status: number; body: string }>) {
    for (;;) {
      const answer = await ask();
      if (answer.status < 300) return answer;
      if (answer.status !== 503) this.wrong.push(`${answer.status} ${answer.body}`);
      if (this.wrong.length > 3) throw new Error(this.wrong.join('\n'));
      await sleep(100);
    }
  }
}

interface Told {
  /** From the last sign-in before the kill to the first after it. */
  readonly withoutSignIns: number;
  /** From the promotion on. */
  readonly sincePromotion: number;
}

async function failOver(site: Site, moveAddress: boolean): Promise<Told> {
  const { signedIn } = site.load;
  const last = signedIn.at(-1) ?? 0;
  const killed = Date.now();
  await pair.primary.kill();
  // what a tool for fail-over takes to be sure
  await sleep(1_000);
  if (moveAddress) proxy.failOver(pair.standby.port);
  await pair.promote();
  const promoted = Date.now();
  await eventually('a sign-in', SIGN_INS_AGAIN_MS, () => (signedIn.at(-1) ?? 0) > promoted);
  const first = signedIn.find((at) => at > killed) ?? 0;
  return { withoutSignIns: first - last, sincePromotion: first - promoted };
}

describe('the primary dies and its synchronous standby is promoted', () => {
  it.each([
    ['DATABASE_URL names both', false],
    ['one address moves', true],
  ] as const)(
    '%s: nothing acknowledged is lost, nothing is done twice, and all goes on by itself',
    async (how, moveAddress) => {
      const url = moveAddress ? proxy.urlOf(pair.primary.url) : pair.url;
      await onSite(
        async (site) => {
          await site.startWorkers(2, SLOW);
          const witness = new Witness(site);
          const job = await site.upload(people(RECORDS));
          await site.untilProgress(job.id, 200);
          await eventually('sign-ins, refreshes and mails', 60_000, () => {
            const { load, sink } = site;
            return load.signedIn.length > 3 && witness.refreshes > 5 && sink.received.length > 0;
          });
          const before = { users: witness.acknowledged.length, progress: await site.progress(job.id) };

          const told = await site.load.excuse(async () => {
            const figures = await failOver(site, moveAddress);
            await site.untilMoving(job.id);
            return figures;
          });

          expect(await site.untilEnded(job.id)).toBe('done');
          await witness.stop();
          expect(witness.wrong).toEqual([]);
          expect(before.progress).toBeLessThan(RECORDS);
          const { rows } = await site.pool.query<{ userName: string }>(
            `SELECT user_name AS "userName" FROM users WHERE user_name LIKE 'witness-%'`,
          );
          expect(rows.map(({ userName }) => userName).toSorted()).toEqual(witness.acknowledged.toSorted());
          expect(witness.acknowledged.length).toBeGreaterThan(before.users);
          expect(await site.people()).toBe(RECORDS);
          console.info(
            `fail-over, ${how}: ${told.withoutSignIns} ms without sign-ins, the first ${told.sincePromotion} ms after ` +
              `the promotion; killed at ${before.progress} of ${RECORDS} records; ${witness.acknowledged.length} users ` +
              `and ${witness.refreshes} refreshes acknowledged`,
          );
          await expectInvariants(site, { mails: 'twice' });
        },
        // an answer that was lost is asked for again when the standby is in charge
        { postgres: { url }, api: { REFRESH_TOKEN_GRACE: '60s' } },
      );
    },
  );
});
