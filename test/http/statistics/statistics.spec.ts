import { describe, expect, it } from 'vitest';
import { KeyRing } from '../../../src/domain/signing-keys/key-ring.js';
import { Counters } from '../../../src/domain/statistics/counters.js';
import { FlushCounters } from '../../../src/domain/statistics/flush-counters.js';
import { IssueTokens } from '../../../src/domain/tokens/issue-tokens.js';
import { startTestApi, type TestApi } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import { codeRequest, hiddenFields, obtainTokens, TestBrowser } from '../../support/browser-flow.js';
import { aTotpSecret } from '../../support/factors.js';
import { given } from '../../support/given.js';
import { toHalfPast } from '../../support/half-past.js';
import { aRobot, aServiceUser, bySecret, type ServiceUser } from '../../support/service-users.js';
import { allStatementsOf, isOwnErrand } from '../../support/statements.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld, type World } from '../../support/world.js';

const OURS = '/management/v1/statistics';
const ALL = '/admin/v1/statistics';

interface Found {
  readonly periods: readonly Readonly<Record<string, unknown>>[];
  readonly totals: Readonly<Record<string, number>>;
}

const { api, world } = useWorld();
const root = given(() => aServiceUser(world, 'IAM_OWNER'));

async function flush(on: TestApi = api): Promise<void> {
  await on.app.get(FlushCounters).flush();
}

async function find(caller: ServiceUser, path = OURS): Promise<Found> {
  await flush();
  const answer = await caller.call('GET', path);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<Found>();
}

/** An organization that nobody else counts in, and somebody who sees it. */
async function fresh(): Promise<{ there: World; viewer: ServiceUser }> {
  const there = await anOrganization(api);
  return { there, viewer: await aServiceUser(there, 'ORG_OWNER_VIEWER') };
}

const NOTHING = {
  signInsSucceeded: 0,
  signInsRefused: 0,
  newUsers: 0,
  messagesSent: 0,
  messagesFailed: 0,
  smsAdmitted: 0,
  smsRefused: 0,
  smsCost: 0,
  tokensIssued: 0,
};

describe('what is counted', () => {
  it('has sign-ins and tokens, each once', async () => {
    await toHalfPast(api);
    const { there, viewer } = await fresh();
    const client = await anApplication(there);
    const user = await aUser(there);
    await obtainTokens(api, client, user);
    const browser = new TestBrowser(api);
    await browser.signIn(codeRequest(client), { ...user, loginName: user.loginName }, 'Wrong-Passw0rd!');
    const { periods, totals } = await find(viewer);
    expect(totals).toEqual({ ...NOTHING, signInsSucceeded: 1, signInsRefused: 1, tokensIssued: 1 });
    expect(periods).toHaveLength(24);
    expect(periods.at(-1)).toMatchObject({ signInsSucceeded: 1, signInsRefused: 1, tokensIssued: 1 });
  });

  it('has no sign-in where a browser that is signed in asks for another application', async () => {
    const { there, viewer } = await fresh();
    const user = await aUser(there);
    const browser = new TestBrowser(api);
    await obtainTokens(api, await anApplication(there), user, {}, browser);
    const answered = await browser.get(
      `/oauth/v2/authorize?${new URLSearchParams(codeRequest(await anApplication(there))).toString()}`,
    );
    expect(answered.statusCode).toBe(302);
    expect((await find(viewer)).totals).toMatchObject({ signInsSucceeded: 1 });
  });

  it('has people who were added, once for a request that is repeated, and none for one that is refused', async () => {
    const { there, viewer } = await fresh();
    const owner = await aServiceUser(there, 'ORG_OWNER');
    const body = {
      userName: 'new.person',
      profile: { firstName: 'New', lastName: 'Person' },
      email: { email: 'new.person@mail.test', isEmailVerified: true },
    };
    const headers = { 'idempotency-key': 'once' };
    for (let time = 0; time < 2; time += 1) {
      const answer = await owner.call('POST', '/management/v1/users/human/_import', body, { headers });
      expect(answer.statusCode, answer.body).toBe(200);
    }
    const again = await owner.call('POST', '/management/v1/users/human/_import', body);
    expect(again.statusCode).toBe(409);
    expect((await find(viewer)).totals).toEqual({ ...NOTHING, newUsers: 1 });
  });

  it('has a sign-in once its second factor was shown, and the wrong ones before as refused', async () => {
    const { there, viewer } = await fresh();
    const user = await aUser(there);
    const app = await aTotpSecret(api, user.userId);
    const browser = new TestBrowser(api);
    const asked = await browser.submitPassword(codeRequest(await anApplication(there)), user);
    const page = String(asked.headers.location);
    const show = async (code: string) =>
      await browser.post('/login/second-factor', { ...hiddenFields((await browser.get(page)).body), code });
    expect((await find(viewer)).totals).toEqual(NOTHING);
    await show('000000');
    expect((await find(viewer)).totals).toEqual({ ...NOTHING, signInsRefused: 1 });
    await show(app.code(api));
    expect((await find(viewer)).totals).toEqual({ ...NOTHING, signInsSucceeded: 1, signInsRefused: 1 });
  });

  it('has the refusal of a name that nobody has where it was tried', async () => {
    const { there, viewer } = await fresh();
    const client = await anApplication(there);
    const nobody = { ...(await aUser(there)), loginName: 'nobody@nowhere.test' };
    await new TestBrowser(api).signIn(codeRequest(client), nobody);
    expect((await find(viewer)).totals).toEqual({ ...NOTHING, signInsRefused: 1 });
  });
});

describe('counting tokens', () => {
  it('costs no statement; all of them are one when they are flushed', async () => {
    const { there, viewer } = await fresh();
    const issue = async () =>
      await api.app.get(IssueTokens).issue(
        {
          client: {
            orgId: there.orgId,
            clientId: 'robot',
            tokenEpoch: 0,
            accessTokenType: 'opaque',
            clockSkewSeconds: 0,
            backChannelLogout: false,
            accessTokenRoleAssertion: false,
            idTokenRoleAssertion: false,
          },
          authorizationId: null,
          subjectId: viewer.userId,
          subjectEpoch: 0,
          scopes: [],
          audience: [],
          authTime: 0,
          amr: [],
          idTokenClaims: [],
        },
        { idToken: false },
      );
    // the key that seals, which is kept for some seconds, was read just now
    api.app.get(KeyRing).forget();
    await issue();
    await flush();
    const begun = performance.now();
    const sent = await allStatementsOf(api, async () => {
      for (let token = 0; token < 100; token += 1) await issue();
      await flush();
    });
    // the API flushes by itself as well, every ten seconds
    const flushes = 1 + Math.ceil((performance.now() - begun) / 10_000);
    expect(sent.filter((statement) => !isOwnErrand(statement))).toEqual([]);
    const adds = sent.filter(({ name }) => name === 'statistics-add').length;
    expect(adds).toBeGreaterThan(0);
    expect(adds).toBeLessThanOrEqual(flushes);
    expect((await find(viewer)).totals).toEqual({ ...NOTHING, tokensIssued: 101 });
  });

  it('counts for the organization of the client, at the token endpoint', async () => {
    const { there, viewer } = await fresh();
    const robot = await aRobot(there);
    for (let time = 0; time < 3; time += 1) expect((await bySecret(api, robot)).statusCode).toBe(200);
    expect((await bySecret(api, { ...robot, secret: 'wrong' })).statusCode).toBe(401);
    expect((await find(viewer)).totals).toEqual({ ...NOTHING, tokensIssued: 3 });
  });
});

describe('a process that ends', () => {
  it('flushes what it has counted', async () => {
    const { there, viewer } = await fresh();
    const robot = await aRobot(there);
    const replica = await startTestApi({}, api);
    expect((await bySecret(replica, robot)).statusCode).toBe(200);
    expect((await find(viewer)).totals).toMatchObject({ tokensIssued: 0 });
    await replica.close();
    expect((await find(viewer)).totals).toMatchObject({ tokensIssued: 1 });
  });
});

describe('statistics', () => {
  it('are of one organization alone, and of the instance all together', async () => {
    const [one, other] = [await fresh(), await fresh()];
    const before = (await find(root, ALL)).totals['tokensIssued'] ?? 0;
    await bySecret(api, await aRobot(one.there));
    expect((await find(one.viewer)).totals).toMatchObject({ tokensIssued: 1 });
    expect((await find(other.viewer)).totals).toEqual(NOTHING);
    expect((await find(root, ALL)).totals).toMatchObject({ tokensIssued: before + 1 });
    expect((await find(root, `${ALL}?orgId=${one.there.orgId}`)).totals).toMatchObject({ tokensIssued: 1 });
    expect((await find(root, `${ALL}?orgId=${other.there.orgId}`)).totals).toEqual(NOTHING);
    expect((await find(root, `${ALL}?orgId=nobody`)).totals).toEqual(NOTHING);
    // by the header, of an organization where one may nothing
    const headers = { 'x-zitadel-orgid': one.there.orgId };
    expect((await other.viewer.call('GET', OURS, undefined, { headers })).statusCode).toBe(403);
  });

  it('are for whoever may see the events', async () => {
    for (const [role, ours, all] of [
      ['IAM_OWNER', 200, 200],
      ['IAM_OWNER_VIEWER', 200, 200],
      ['ORG_OWNER', 200, 403],
      ['ORG_OWNER_VIEWER', 200, 403],
      ['ORG_USER_MANAGER', 403, 403],
      [undefined, 403, 403],
    ] as const) {
      const caller = await aServiceUser(world, role);
      expect([role, (await caller.call('GET', OURS)).statusCode]).toEqual([role, ours]);
      expect([role, (await caller.call('GET', ALL)).statusCode]).toEqual([role, all]);
    }
  });

  it('are by the day of a time zone, over seven and thirty days', async () => {
    expect((await find(root, `${OURS}?range=7d&timeZone=Europe/Berlin`)).periods).toHaveLength(7);
    expect((await find(root, `${OURS}?range=30d`)).periods).toHaveLength(30);
    expect((await find(root, `${OURS}?range=30d&time_zone=Asia/Tokyo`)).periods).toHaveLength(30);
  });

  it('refuse what they do not know', async () => {
    for (const query of ['range=1y', 'timeZone=Mars/Olympus', 'timeZone=;', 'orgId=x', 'from=now']) {
      expect([query, (await root.call('GET', `${OURS}?${query}`)).statusCode]).toEqual([query, 400]);
    }
    expect((await root.call('GET', `${ALL}?orgId=`)).statusCode).toBe(400);
  });
});

describe('the organizations with the most SMS', () => {
  const BY_ORGANIZATION = `${ALL}/sms_by_organization`;

  interface Spenders {
    readonly organizations: readonly Readonly<Record<string, unknown>>[];
  }

  it('are those whose SMS cost most, then those that sent more', async () => {
    const [costly, many, few, none] = [await fresh(), await fresh(), await fresh(), await fresh()];
    api.app.get(Counters).add(few.there.orgId, 'smsAdmitted', 1);
    api.app.get(Counters).add(many.there.orgId, 'smsAdmitted', 3);
    api.app.get(Counters).add(many.there.orgId, 'smsRefused', 2);
    api.app.get(Counters).add(costly.there.orgId, 'smsAdmitted', 2);
    api.app.get(Counters).add(costly.there.orgId, 'smsCost', 150_000);
    api.app.get(Counters).add(none.there.orgId, 'tokensIssued', 1000);
    await flush();
    const { organizations } = (await root.call('GET', `${BY_ORGANIZATION}?range=7d`)).json<Spenders>();
    const name = ({ there }: { there: World }) => `Org ${there.domain}`;
    expect(organizations).toEqual([
      { id: costly.there.orgId, name: name(costly), smsAdmitted: 2, smsCost: 150_000, smsRefused: 0 },
      { id: many.there.orgId, name: name(many), smsAdmitted: 3, smsCost: 0, smsRefused: 2 },
      { id: few.there.orgId, name: name(few), smsAdmitted: 1, smsCost: 0, smsRefused: 0 },
    ]);
  });

  it('are ten at most', async () => {
    for (let organization = 0; organization < 11; organization += 1) {
      api.app.get(Counters).add((await fresh()).there.orgId, 'smsAdmitted', 5 + organization);
    }
    await flush();
    const { organizations } = (await root.call('GET', BY_ORGANIZATION)).json<Spenders>();
    expect(organizations).toHaveLength(10);
  });

  it('are nothing that the roles of an organization see (S426)', async () => {
    for (const [role, status] of [
      ['IAM_OWNER', 200],
      ['IAM_OWNER_VIEWER', 200],
      ['ORG_OWNER', 403],
      ['ORG_OWNER_VIEWER', 403],
      ['ORG_USER_MANAGER', 403],
    ] as const) {
      const caller = await aServiceUser(world, role);
      expect([role, (await caller.call('GET', BY_ORGANIZATION)).statusCode]).toEqual([role, status]);
    }
    const theirs = await aServiceUser(world, 'ORG_OWNER');
    const beside = '/management/v1/statistics/sms_by_organization';
    expect((await theirs.call('GET', beside)).statusCode).toBe(404);
  });
});
