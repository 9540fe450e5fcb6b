import path from 'node:path';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlainBrowser } from '../../scripts/code-flow.mjs';
import { anyFreePort } from '../../scripts/ports.mjs';
import { anApplication } from '../support/applications.js';
import { basic, codeRequest, redemption } from '../support/browser-flow.js';
import { given } from '../support/given.js';
import { aRobot, robotBasic, type Robot } from '../support/service-users.js';
import { aPhoneUser, NO_SMS_LIMITS, RESEND, TWILIO } from '../support/sms.js';
import { aUser, PASSWORD, type TestUser } from '../support/users.js';
import { useWorld } from '../support/world.js';
import { eventually } from '../workers/support/eventually.js';
import { ApiProcess } from './support/api-process.js';

const SHIFTED = path.resolve('test/faults/support/shifted-clock.mjs');
const LIFETIME = 300;
const CODE_LIFETIME = 60;
const COOLDOWN = 60;
const LOCK = 900;

describe.each([45_000, -45_000])(
  'two replicas whose clocks are 90 s apart, at the one by %i ms (F29)',
  (byMs) => {
    let port: number;
    /** Where people sign in. */
    let here: ApiProcess;
    let there: ApiProcess;
    let both: readonly ApiProcess[];

    const { api, world } = useWorld(async () => {
      port = await anyFreePort();
      return {
        ...TWILIO,
        ...NO_SMS_LIMITS,
        SMS_COOLDOWN: `${COOLDOWN}s`,
        ACCESS_TOKEN_LIFETIME: `${LIFETIME}s`,
        CODE_LIFETIME: `${CODE_LIFETIME}s`,
        PUBLIC_URL: `http://127.0.0.1:${port}`,
      };
    });
    const client = given(() => anApplication(world));
    beforeAll(async () => {
      here = spawn(port, byMs);
      there = spawn(await anyFreePort(), -byMs);
      both = [here, there];
      await Promise.all(both.map((one) => one.untilReady()));
    });
    afterAll(async () => {
      await Promise.all(both.map((one) => one.kill()));
    });

    function spawn(port: number, wrongMs: number): ApiProcess {
      return ApiProcess.spawn({
        ...api.environment,
        LOG_LEVEL: 'info',
        HOST: '127.0.0.1',
        PORT: String(port),
        DATABASE_POOL_SIZE: '6',
        NODE_OPTIONS: `--import=${SHIFTED}`,
        CLOCK_WRONG_MS: String(wrongMs),
      });
    }

    async function token(
      { origin }: ApiProcess,
      headers: Record<string, string>,
      form: Record<string, string>,
    ): Promise<{ status: number; body: Record<string, string> }> {
      const body = new URLSearchParams(form);
      const response = await fetch(`${origin}/oauth/v2/token`, { method: 'POST', headers, body });
      return { status: response.status, body: (await response.json()) as Record<string, string> };
    }

    async function robotToken(at: ApiProcess, robot: Robot): Promise<string> {
      const form = { grant_type: 'client_credentials', scope: 'openid' };
      const { body } = await token(at, robotBasic(robot, robot.userName), form);
      return body['access_token'] ?? '';
    }

    const userinfo = async ({ origin }: ApiProcess, bearer: string): Promise<number> => {
      const headers = { authorization: `Bearer ${bearer}` };
      return (await fetch(`${origin}/oidc/v1/userinfo`, { headers })).status;
    };

    async function databaseSeconds(): Promise<number> {
      const { rows } = await api.sql.query<{ now: number }>(
        `SELECT extract(epoch FROM app_now())::float AS now`,
      );
      return rows[0]?.now ?? 0;
    }

    async function signIn(user: TestUser, password = PASSWORD): Promise<string | null> {
      const browser = new PlainBrowser(here.origin);
      const found = await browser
        .authorize(codeRequest(client), { loginName: user.loginName, password })
        .catch(() => new URLSearchParams());
      return found.get('code');
    }

    it('issue tokens that both take at once and that end for both at one moment', async () => {
      const robots = await Promise.all([
        aRobot(world, { accessTokenType: 'jwt' }),
        aRobot(world, { accessTokenType: 'opaque' }),
      ]);
      const [jwt] = robots;
      const tokens: string[] = [];
      for (const at of both) for (const robot of robots) tokens.push(await robotToken(at, robot));
      const issuedAt = await databaseSeconds();
      const answers = async () => {
        const all = both.flatMap((at) => tokens.map((each) => userinfo(at, each)));
        return new Set(await Promise.all(all));
      };
      expect(await answers()).toEqual(new Set([200]));
      for (const text of [tokens[0], tokens[2]]) {
        const { iat = 0, nbf = 0, exp = 0 } = decodeJwt(text ?? '');
        expect(Math.abs(iat - issuedAt)).toBeLessThan(10);
        expect({ nbf, exp }).toEqual({ nbf: iat, exp: iat + LIFETIME });
      }
      // far less than what the clocks are apart
      await api.advance(LIFETIME - 40);
      await eventually('both know the time', 20_000, async () => {
        const news = await Promise.all(both.map((at) => robotToken(at, jwt)));
        return news.every((text) => (decodeJwt(text).iat ?? 0) >= issuedAt + LIFETIME - 45);
      });
      expect(await answers()).toEqual(new Set([200]));
      await api.advance(40);
      await eventually('both refuse them', 20_000, async () => {
        const found = await answers();
        return found.size === 1 && found.has(401);
      });
    });

    it.each([
      [CODE_LIFETIME - 10, 200],
      [CODE_LIFETIME + 1, 400],
    ])('take a code that is %i s old alike: %i (S079)', async (age, status) => {
      const user = await aUser(world);
      for (const at of both) {
        const code = (await signIn(user)) ?? '';
        await api.advance(age);
        const answer = await token(at, basic(client), redemption(code));
        expect(answer.status).toBe(status);
        if (status === 400) expect(answer.body['error']).toBe('invalid_grant');
        else
          expect(
            await Promise.all(both.map((one) => userinfo(one, answer.body['access_token'] ?? ''))),
          ).toEqual([200, 200]);
      }
    });

    it('keep one cooldown between two SMS', async () => {
      const resend = async ({ origin }: ApiProcess, pat: string) => {
        const response = await fetch(`${origin}${RESEND}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${pat}`, 'content-type': 'application/json' },
          body: '{}',
        });
        return { status: response.status, wait: Number(response.headers.get('retry-after')) };
      };
      for (const [first, other] of [[here, there] as const, [there, here] as const]) {
        const { pat } = await aPhoneUser(world, first === here ? '+41791230001' : '+41791230002');
        expect((await resend(first, pat)).status).toBe(200);
        for (const at of both) {
          const { status, wait } = await resend(at, pat);
          expect(status).toBe(429);
          expect(wait).toBeGreaterThan(COOLDOWN - 20);
          expect(wait).toBeLessThanOrEqual(COOLDOWN);
        }
        await api.advance(COOLDOWN - 20);
        expect((await resend(other, pat)).status).toBe(429);
        await api.advance(20);
        expect((await resend(other, pat)).status).toBe(200);
      }
    });

    it('lock a user out for as long as the database says', async () => {
      const user = await aUser(world);
      for (let failure = 1; failure <= 10; failure += 1) {
        expect(await signIn(user, 'Marker-wrong-Passw0rd!')).toBeNull();
        // out of the waits of a few seconds, which come before the lock
        if (failure < 10) await api.advance(33);
      }
      await api.advance(LOCK - 20);
      expect(await signIn(user)).toBeNull();
      await api.advance(20);
      expect(await signIn(user)).not.toBeNull();
    });
  },
);
