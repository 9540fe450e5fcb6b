import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TokenAnswer } from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import {
  aRobot,
  aServiceUser,
  assertionOf,
  JWT_BEARER,
  robotBasic,
  type Robot,
} from '../../support/service-users.js';
import { useWorld } from '../../support/world.js';
import { ApiProcess, isBuilt } from '../oidc/support/api-process.js';

let a: ApiProcess;
let b: ApiProcess;

// Two API processes of the build on one database: a service user acts on one while an administrator uses the other. What
// was ended is over on the first when the answer of the second is there.

const { api: stage, world } = useWorld();
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
beforeAll(async () => {
  if (!isBuilt) return;
  [a, b] = await Promise.all([ApiProcess.spawn(stage.environment), ApiProcess.spawn(stage.environment)]);
  await Promise.all([a.untilReady(), b.untilReady()]);
});
afterAll(async () => {
  if (isBuilt) await Promise.all([a.stop(), b.stop()]);
});

interface Answered {
  readonly status: number;
  readonly error: string | undefined;
  readonly token: string;
}

async function requestToken(
  process: ApiProcess,
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Answered> {
  const body = new URLSearchParams({ scope: 'openid', ...form });
  const response = await fetch(`${process.url}/oauth/v2/token`, { method: 'POST', headers, body });
  const { access_token: token, error } = (await response.json()) as TokenAnswer;
  return { status: response.status, error, token };
}

const bySecret = (process: ApiProcess, robot: Robot) =>
  requestToken(process, { grant_type: 'client_credentials' }, robotBasic(robot, robot.userName));

const byKey = async (process: ApiProcess, robot: Robot) =>
  requestToken(process, { grant_type: JWT_BEARER, assertion: await assertionOf(robot) });

async function manage(method: string, path: string): Promise<Response> {
  const headers = { authorization: `Bearer ${owner.pat}`, 'content-type': 'application/json' };
  const body = method === 'DELETE' ? {} : { body: '{}' };
  const response = await fetch(`${b.url}/management/v1/users/${path}`, { method, headers, ...body });
  expect(response.status).toBe(200);
  return response;
}

async function userinfoStatus(process: ApiProcess, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${process.url}/oidc/v1/userinfo`, { headers })).status;
}

/** Tokens of either grant, seen to work on both processes. */
async function obtain(robot: Robot): Promise<readonly string[]> {
  const tokens = (await Promise.all([bySecret(a, robot), byKey(a, robot)])).map(({ token }) => token);
  for (const token of tokens) {
    for (const process of [a, b]) expect(await userinfoStatus(process, token)).toBe(200);
  }
  return tokens;
}

async function expectDead(tokens: readonly string[]): Promise<void> {
  for (const token of tokens) {
    for (const process of [a, b]) expect(await userinfoStatus(process, token)).toBe(401);
  }
}

describe.skipIf(!isBuilt).each(['opaque', 'jwt'] as const)('%s, on the other process at once', (type) => {
  it('S121: a deactivation ends the tokens and both grants, and a reactivation brings no token back', async () => {
    const robot = await aRobot(world, { accessTokenType: type });
    const tokens = await obtain(robot);
    await manage('POST', `${robot.userId}/_deactivate`);
    await expectDead(tokens);
    expect((await bySecret(a, robot)).error).toBe('invalid_client');
    expect((await byKey(a, robot)).error).toBe('invalid_grant');
    await manage('POST', `${robot.userId}/_reactivate`);
    await expectDead(tokens);
    await obtain(robot);
  });

  it('a secret that is removed ends with what it obtained; a key stays', async () => {
    const robot = await aRobot(world, { accessTokenType: type });
    const tokens = await obtain(robot);
    await manage('DELETE', `${robot.userId}/secret`);
    await expectDead(tokens);
    expect((await bySecret(a, robot)).error).toBe('invalid_client');
    expect((await byKey(a, robot)).status).toBe(200);
  });

  it('a secret that is replaced ends with what it obtained, and the new one works', async () => {
    const robot = await aRobot(world, { accessTokenType: type });
    const tokens = await obtain(robot);
    const made = (await (await manage('PUT', `${robot.userId}/secret`)).json()) as { clientSecret: string };
    await expectDead(tokens);
    expect((await bySecret(a, robot)).error).toBe('invalid_client');
    await obtain({ ...robot, secret: made.clientSecret });
  });

  it('S073: removing a key ends the tokens that it obtained; the secret stays', async () => {
    const robot = await aRobot(world, { accessTokenType: type });
    const tokens = await obtain(robot);
    await manage('DELETE', `${robot.userId}/keys/${robot.keyId}`);
    await expectDead(tokens);
    expect((await byKey(a, robot)).error).toBe('invalid_grant');
    expect((await bySecret(a, robot)).status).toBe(200);
  });
});

describe.skipIf(!isBuilt)('on the other process at once', () => {
  it('a personal access token that is removed', async () => {
    const robot = await aRobot(world);
    const answers = await Promise.all(
      [1, 2].map(async () => (await manage('POST', `${robot.userId}/pats`)).json()),
    );
    const [gone, kept] = answers as { tokenId: string; token: string }[];
    for (const pat of [gone, kept]) expect(await userinfoStatus(a, pat?.token ?? '')).toBe(200);
    await manage('DELETE', `${robot.userId}/pats/${gone?.tokenId}`);
    expect(await userinfoStatus(a, gone?.token ?? '')).toBe(401);
    expect(await userinfoStatus(a, kept?.token ?? '')).toBe(200);
  });

  it('S098: an assertion with a jti is accepted by one of them, once', async () => {
    const robot = await aRobot(world);
    const assertion = await assertionOf(robot, { claims: { jti: 'Marker-two-processes' } });
    const form = { grant_type: JWT_BEARER, assertion };
    const answers = await Promise.all([a, b, a, b, a, b].map((process) => requestToken(process, form)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ error }) => error === 'invalid_grant')).toHaveLength(5);
  });
});
