import { beforeEach, describe, expect, it } from 'vitest';
import { SmsPrefixes } from '../../../src/domain/notifications/abuse/sms-prefixes.js';
import { randomToken } from '../../../src/domain/shared/random.js';
import { useReplica } from '../../support/api.js';
import { call, errorBody } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { aPhoneUser, NO_SMS_LIMITS, resend, TWILIO, type PhoneUser } from '../../support/sms.js';
import { useWorld } from '../../support/world.js';

const BLOCKS = '/admin/v1/sms_blocks';
const NOT_FOUND = errorBody(5, 'Numbers with this prefix are not blocked', 'SMS-Bl5nf');

const settings = { ...TWILIO, ...NO_SMS_LIMITS, SMS_CONVERSION_SENDS: '3' };
const { api, world } = useWorld(settings);
const replica = useReplica(api, settings);
const root = given(() => aServiceUser(world, 'IAM_OWNER'));
const viewer = given(() => aServiceUser(world, 'IAM_OWNER_VIEWER'));
beforeEach(async () => {
  await api.sql.query('DELETE FROM sms_blocks');
});

let block = 100;
/** A number of a prefix that no other test uses. */
function fresh(): { number: string; prefix: string } {
  const prefix = `+4179${(block += 1)}`;
  return { prefix, number: `${prefix}1000` };
}

const flag = async (number: string, reason = 'twilio_60410') =>
  await api.app.get(SmsPrefixes).flag(number, reason);
const list = async (query = '') => await viewer.call('GET', `${BLOCKS}${query}`);
const lift = async (prefix: string, headers: Record<string, string> = {}, on = api) =>
  await root.call('DELETE', `${BLOCKS}/${encodeURIComponent(prefix)}`, undefined, { headers, on });

async function shown(): Promise<Record<string, unknown>[]> {
  return (await list()).json<{ result: Record<string, unknown>[] }>().result;
}

async function events(prefix: string): Promise<unknown[]> {
  const { rows } = await api.sql.query(
    `SELECT type, actor_id AS actor, org_id AS org, sequence::text, data FROM events
     WHERE aggregate_type = 'sms_prefix' AND aggregate_id = $1 ORDER BY position`,
    [prefix],
  );
  return rows;
}

describe('blocks of numbers that get no SMS', () => {
  it('are listed with their reason and end, lifted on every replica, and judged anew (S139)', async () => {
    const { number, prefix } = fresh();
    const users: PhoneUser[] = [];
    for (let tail = 0; tail < 4; tail += 1) {
      users.push(await aPhoneUser(world, `${number.slice(0, -1)}${tail}`));
    }
    for (const { pat } of users.slice(0, 3)) expect((await resend(api, pat)).statusCode).toBe(200);
    await api.advance(301);
    await replica.advance(301);
    expect((await resend(api, users[3]?.pat)).statusCode).toBe(429);
    const [only, ...others] = await shown();
    expect(others).toEqual([]);
    expect(only).toMatchObject({
      prefix,
      reason: 'low_conversion',
      blockedUntil: expect.stringMatching(/Z$/) as string,
      details: { sequence: '1' },
    });

    expect((await lift(prefix)).json()).toMatchObject({ details: { sequence: '2' } });
    expect(await shown()).toEqual([]);
    for (const on of [api, replica]) expect((await resend(on, users[3]?.pat)).statusCode).toBe(200);
    // the three that nobody answered were judged once
    await api.advance(301);
    expect((await resend(api, users[0]?.pat)).statusCode).toBe(200);
    expect(await events(prefix)).toEqual([
      expect.objectContaining({ type: 'sms.prefix.blocked', sequence: '1', actor: null }),
      {
        type: 'sms.prefix.unblocked',
        sequence: '2',
        actor: root.userId,
        org: null,
        data: { reason: 'low_conversion' },
      },
    ]);
    // and those since then once more
    await api.advance(301);
    expect((await resend(api, users[1]?.pat)).statusCode).toBe(429);
    expect(await shown()).toMatchObject([{ prefix, details: { sequence: '3' } }]);
  });

  it('are lifted once, of two that try at once, and once for a repeated call', async () => {
    const { number, prefix } = fresh();
    await flag(number);
    const both = await Promise.all([lift(prefix), lift(prefix, {}, replica)]);
    expect(both.map(({ statusCode }) => statusCode).sort()).toEqual([200, 404]);
    expect(await events(prefix)).toHaveLength(2);
    await flag(number);
    const headers = { 'idempotency-key': randomToken(8) };
    const first = await lift(prefix, headers);
    expect(first.statusCode).toBe(200);
    expect((await lift(prefix, headers)).body).toBe(first.body);
    expect(await events(prefix)).toHaveLength(4);
  });

  it('are not there when nothing is blocked, or no more', async () => {
    const { number, prefix } = fresh();
    for (const nothing of [prefix, 'constructor', "' OR true --", '+'.repeat(201)]) {
      const response = await lift(nothing);
      expect(response.statusCode).toBe(404);
      expect(response.json()).toEqual(NOT_FOUND);
    }
    await flag(number);
    await api.advance(21_601);
    expect((await lift(prefix)).json()).toEqual(NOT_FOUND);
    expect(await shown()).toEqual([]);
    expect(await events(prefix)).toHaveLength(1);
  });

  it('come newest first, a page at a time', async () => {
    const prefixes: string[] = [];
    for (let times = 0; times < 3; times += 1) {
      const { number, prefix } = fresh();
      await flag(number);
      prefixes.push(prefix);
    }
    const page = (await list('?limit=2')).json<{ details: object; result: { prefix: string }[] }>();
    expect(page.details).toMatchObject({ totalResult: '3' });
    expect(page.result.map(({ prefix }) => prefix)).toEqual(prefixes.toReversed().slice(0, 2));
    const rest = (await list('?offset=2&asc=true')).json<{ result: { prefix: string }[] }>();
    expect(rest.result.map(({ prefix }) => prefix)).toEqual(prefixes.slice(2));
    expect((await list('?limit=-1')).statusCode).toBe(400);
    expect((await list('?prefix=x')).statusCode).toBe(400);
  });

  it('are the business of the instance alone', async () => {
    const { number, prefix } = fresh();
    await flag(number);
    const owner = await aServiceUser(world, 'ORG_OWNER');
    const path = `${BLOCKS}/${encodeURIComponent(prefix)}`;
    expect((await call(api, 'GET', BLOCKS)).statusCode).toBe(401);
    expect((await owner.call('GET', BLOCKS)).statusCode).toBe(403);
    for (const { pat } of [owner, viewer]) {
      expect((await call(api, 'DELETE', path, { pat })).statusCode).toBe(403);
    }
    expect(await shown()).toHaveLength(1);
  });
});
