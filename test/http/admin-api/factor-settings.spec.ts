import { afterEach, describe, expect, it } from 'vitest';
import { useReplica } from '../../support/api.js';
import { call } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { TWILIO } from '../../support/sms.js';
import { anOrganization, useWorld } from '../../support/world.js';

const PATH = '/admin/v1/settings/factors';
const USUAL = {
  secondFactor: 'required',
  requiredFor: 'owners',
  kinds: ['passkey', 'totp', 'email', 'sms'],
  trustedBrowserDays: '0',
  passkeyCounter: 'event',
  stepUp: 'off',
  stepUpMaxAge: '3600s',
};

const { api, world } = useWorld();
const replica = useReplica(api);
const withSms = useReplica(api, TWILIO);
const iam = given(() => aServiceUser(world, 'IAM_OWNER'));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
afterEach(() => api.sql.query('DELETE FROM factor_policies; DELETE FROM factor_settings'));

const put = async (body: object, pat = iam.pat) => await call(api, 'PUT', PATH, { pat, body });
const get = async (on = api) => (await iam.call('GET', PATH, undefined, { on })).json<object>();

describe('what the instance asks beside a password', () => {
  it('is as delivered until an instance owner replaces it, with an event', async () => {
    expect(await get()).toEqual({
      details: { sequence: '0', resourceOwner: world.orgId },
      settings: USUAL,
      isDefault: true,
    });
    expect((await put({ secondFactor: 'offered', kinds: ['totp'] })).json()).toMatchObject({
      details: { sequence: '1' },
    });
    expect(await get(replica)).toMatchObject({
      settings: { ...USUAL, secondFactor: 'offered', kinds: ['totp'] },
      isDefault: false,
    });
    expect((await put({})).json()).toMatchObject({ details: { sequence: '2' } });
    expect(await get()).toMatchObject({ settings: USUAL });
    const { rows } = await api.sql.query(
      `SELECT fields, data ->> 'kinds' AS kinds FROM events WHERE type = 'instance.factor_settings.changed' ORDER BY position`,
    );
    expect(rows).toEqual([
      { fields: ['kinds', 'secondFactor'], kinds: 'totp' },
      { fields: ['kinds', 'secondFactor'], kinds: 'passkey totp email sms' },
    ]);
  });

  it('never requires what nothing here can send', async () => {
    const smsAlone = { secondFactor: 'required', kinds: ['sms'] };
    const there = { secondFactor: 'required', requiredFor: 'all', kinds: ['sms'] };
    for (const [path, body] of [
      [PATH, smsAlone],
      ['policies/factors', there],
    ] as const) {
      const refused = await iam.call('PUT', path, body);
      expect([refused.statusCode, refused.json<{ message: string }>().message]).toEqual([
        400,
        'A second factor is required, kinds lists SMS alone, and nothing here sends SMS: ' +
          'set up a provider first, or list another kind (POLICY-5Kd2r)',
      ]);
      expect((await iam.call('PUT', path, { ...body, secondFactor: 'offered' })).statusCode).toBe(200);
      expect((await iam.call('PUT', path, { ...body, kinds: ['sms', 'email'] })).statusCode).toBe(200);
      expect((await iam.call('PUT', path, { ...body, kinds: ['sms', 'totp'] })).statusCode).toBe(200);
      // where there is a provider, nothing is in the way
      expect((await iam.call('PUT', path, body, { on: withSms })).statusCode).toBe(200);
    }
    // what the instance asks for is no better for an organization that resets its own
    expect((await iam.call('PUT', PATH, smsAlone, { on: withSms })).statusCode).toBe(200);
    expect((await iam.call('DELETE', 'policies/factors')).statusCode).toBe(400);
  });

  it('is seen and changed by those who run the instance', async () => {
    const viewer = await aServiceUser(world, 'IAM_OWNER_VIEWER');
    expect((await viewer.call('GET', PATH)).statusCode).toBe(200);
    for (const { pat } of [viewer, owner]) expect((await put({}, pat)).statusCode).toBe(403);
    expect((await owner.call('GET', PATH)).statusCode).toBe(403);
    expect((await put({ kinds: [] })).statusCode).toBe(400);
  });

  it('holds in organizations that decided nothing, and again where they reset theirs', async () => {
    const other = await anOrganization(api);
    const { pat } = await aServiceUser(other, 'ORG_OWNER');
    const policy = async (method: 'GET' | 'PUT' | 'DELETE', body?: object) =>
      (await call(api, method, 'policies/factors', { pat, body })).json<object>();
    await put({ secondFactor: 'off', kinds: ['passkey'] });
    const instances = { policy: { ...USUAL, secondFactor: 'off', kinds: ['passkey'] }, isDefault: true };
    expect(await policy('GET')).toMatchObject(instances);
    await policy('PUT', {});
    expect(await policy('GET')).toMatchObject({ policy: USUAL, isDefault: false });
    await policy('DELETE');
    expect(await policy('GET')).toMatchObject(instances);
  });
});

describe('the default organization', () => {
  const change = async (body: object, pat = owner.pat) =>
    (await call(api, 'PUT', 'policies/factors', { pat, body })).statusCode;

  it.each<[string, object, object]>([
    ['nothing', { secondFactor: 'offered' }, { secondFactor: 'off' }],
    ['no requirement', {}, { secondFactor: 'offered' }],
    ['owners only', { requiredFor: 'all' }, {}],
    ['codes by mail', { kinds: ['totp'] }, { kinds: ['totp', 'email'] }],
    ['codes by SMS', { kinds: ['passkey'] }, { kinds: ['passkey', 'sms'] }],
    ['a kind that some have and no other', { kinds: ['passkey', 'totp'] }, { kinds: ['passkey'] }],
    ['longer trust', { trustedBrowserDays: 1 }, { trustedBrowserDays: 2 }],
    ['passkeys that may be copies', { passkeyCounter: 'refuse' }, {}],
    ['a weaker step-up', { stepUp: 'phr' }, { stepUp: 'mfa' }],
    ['an older step-up', { stepUp: 'mfa', stepUpMaxAge: '60s' }, { stepUp: 'mfa' }],
  ])('is given less protection by an instance owner alone: %s', async (_name, strong, weak) => {
    expect(await change(strong, iam.pat)).toBe(200);
    expect(await change(weak)).toBe(403);
    expect(await change(weak, iam.pat)).toBe(200);
    // its own owner may ask for more
    expect(await change(strong)).toBe(200);
  });

  it('is not reset to less by its own owner, but other organizations are free', async () => {
    await change({ requiredFor: 'all' }, iam.pat);
    const reset = (pat: string) => call(api, 'DELETE', 'policies/factors', { pat });
    expect((await reset(owner.pat)).statusCode).toBe(403);
    expect((await reset(iam.pat)).statusCode).toBe(200);
    const other = await aServiceUser(await anOrganization(api), 'ORG_OWNER');
    expect(await change({ secondFactor: 'off' }, other.pat)).toBe(200);
  });
});
