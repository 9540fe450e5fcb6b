import { describe, expect, it } from 'vitest';
import type { Application } from '../../../src/domain/applications/application.js';
import type {
  AuthorizationsStore,
  RefreshRotation,
  RefreshTokenRecord,
  VerifiedAuthorization,
} from '../../../src/domain/authorizations/authorizations.store.js';
import { confirmationOfKey } from '../../../src/domain/authorizations/confirmation.js';
import { RefreshTokenGrant } from '../../../src/domain/grants/refresh-token.grant.js';
import { makeRefreshToken, sealSuccessor } from '../../../src/domain/grants/refresh-token.js';
import { OAuthError } from '../../../src/domain/shared/errors.js';
import type { ApplicationId, AuthorizationId, UserId } from '../../../src/domain/shared/ids.js';
import type { Log } from '../../../src/domain/shared/log.js';
import { OAuthParameters } from '../../../src/domain/shared/oauth-parameters.js';
import type { ProjectAudience } from '../../../src/domain/tokens/audience/project-audience.js';
import type { TokenSettings } from '../../../src/domain/tokens/token-settings.js';

const SCOPES = ['openid', 'email', 'offline_access'];
const application = { id: 'app', grantTypes: ['refresh_token'] } as unknown as Application;
const authorization: VerifiedAuthorization = {
  authorizationId: 'grant' as AuthorizationId,
  userId: 'user' as UserId,
  subjectEpoch: 0,
  scopes: SCOPES,
  audience: ['project'],
  authTime: 1,
  amr: ['pwd'],
  idTokenClaims: [],
};
const OLD = makeRefreshToken();
const SUCCESSOR = makeRefreshToken();

function recordOf(changes: Partial<RefreshTokenRecord>): RefreshTokenRecord {
  return {
    authorizationId: authorization.authorizationId,
    applicationId: 'app' as ApplicationId,
    alive: true,
    scopes: SCOPES,
    used: true,
    usedSecondsAgo: 1,
    confirmation: null,
    successorUsed: false,
    successorSealed: sealSuccessor(OLD, SUCCESSOR),
    authorization: authorization,
    ...changes,
  };
}

interface Setting {
  readonly rotates?: boolean;
  readonly record?: RefreshTokenRecord;
  readonly graceSeconds?: number;
  readonly jkt?: string;
  /** Another request gave the token back at that moment. */
  readonly undone?: boolean;
}

async function present(setting: Setting, form: Record<string, string> = {}) {
  const rotations: RefreshRotation[] = [];
  const revoked: string[] = [];
  const store = {
    rotate: (rotation: RefreshRotation) => {
      rotations.push(rotation);
      const rotates = setting.rotates === true || (setting.undone === true && rotations.length > 1);
      return Promise.resolve(rotates ? authorization : undefined);
    },
    findRefreshToken: () => Promise.resolve(setting.record),
    handOutAgain: () => Promise.resolve(setting.undone !== true),
    revoke: (_id: AuthorizationId, reason: string) => {
      revoked.push(reason);
      return Promise.resolve(true);
    },
  } as unknown as AuthorizationsStore;
  const settings = {
    refreshGraceSeconds: setting.graceSeconds ?? 10,
    refreshIdleSeconds: 60,
  } as TokenSettings;
  const audience = { require: () => Promise.resolve() } as unknown as ProjectAudience;
  const log = { warn: () => undefined } as unknown as Log;
  const parameters = OAuthParameters.read(new URLSearchParams({ refresh_token: OLD, ...form }));
  try {
    const outcome = await new RefreshTokenGrant(store, audience, settings, log).verify(
      application,
      parameters,
      setting.jkt === undefined ? undefined : confirmationOfKey(setting.jkt),
    );
    return { outcome, rotations, revoked };
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return { error: error.code, rotations, revoked };
  }
}

describe('a token that rotates', () => {
  it('gives the successor that was stored, sealed for a retry', async () => {
    const { outcome, rotations } = await present({ rotates: true });
    expect(outcome?.refreshToken).toMatch(/^rt_[A-Za-z0-9_-]{43}$/);
    expect(outcome?.tokens.scopes).toEqual(SCOPES);
    expect(rotations[0]?.successorSealed?.includes(outcome?.refreshToken ?? '')).toBe(false);
  });

  it('keeps no successor where there is no grace', async () => {
    const { rotations } = await present({ rotates: true, graceSeconds: 0 });
    expect(rotations[0]?.successorSealed).toBeNull();
  });

  it('narrows the scopes of the tokens, not of the grant', async () => {
    const { outcome, rotations } = await present({ rotates: true }, { scope: 'openid  openid' });
    expect(outcome?.tokens.scopes).toEqual(['openid']);
    expect(rotations[0]?.scopes).toEqual(['openid']);
  });
});

describe('a token that does not rotate', () => {
  it('is used after all where the request that had used it gave it back meanwhile', async () => {
    const { outcome, rotations } = await present({ record: recordOf({}), undone: true });
    expect(rotations).toHaveLength(2);
    expect(outcome?.refreshToken).toMatch(/^rt_/);
    expect(outcome?.refreshToken).not.toBe(SUCCESSOR);
  });

  it.each<[string, Setting, string | undefined, readonly string[]]>([
    ['unknown', {}, 'invalid_grant', []],
    ['of another client', { record: recordOf({ applicationId: 'x' as ApplicationId }) }, 'invalid_grant', []],
    ['a retry in time', { record: recordOf({}) }, undefined, []],
    [
      'a retry without the key that it is bound to',
      { record: recordOf({ confirmation: confirmationOfKey('key') }) },
      'invalid_grant',
      [],
    ],
    [
      'a retry with another key',
      { record: recordOf({ confirmation: confirmationOfKey('key') }), jkt: 'other' },
      'invalid_grant',
      [],
    ],
    [
      'a retry with its key',
      { record: recordOf({ confirmation: confirmationOfKey('key') }), jkt: 'key' },
      undefined,
      [],
    ],
    ['a retry in the last moment', { record: recordOf({ usedSecondsAgo: 9.999 }) }, undefined, []],
    [
      'a retry just too late',
      { record: recordOf({ usedSecondsAgo: 10 }) },
      'invalid_grant',
      ['refresh_token_replayed'],
    ],
    [
      'a retry after the successor was used',
      { record: recordOf({ successorUsed: true }) },
      'invalid_grant',
      ['refresh_token_replayed'],
    ],
    [
      'a retry that this replica grants no grace',
      { record: recordOf({}), graceSeconds: 0 },
      'invalid_grant',
      ['refresh_token_replayed'],
    ],
    [
      'a retry whose successor was not kept',
      { record: recordOf({ successorSealed: null }) },
      'invalid_grant',
      ['refresh_token_replayed'],
    ],
    [
      'a replay of a family that has ended',
      { record: recordOf({ usedSecondsAgo: 99, alive: false }) },
      'invalid_grant',
      ['refresh_token_replayed'],
    ],
    ['a retry of a family that has ended', { record: recordOf({ alive: false }) }, 'invalid_grant', []],
    ['expired', { record: recordOf({ used: false, alive: false }) }, 'invalid_grant', []],
    ['ended between two looks', { record: recordOf({ used: false }) }, 'invalid_grant', []],
  ])('%s', async (_name, setting, error, reasons) => {
    const result = await present(setting);
    expect(result.error).toBe(error);
    expect(result.revoked).toEqual(reasons);
    if (error === undefined) expect(result.outcome?.refreshToken).toBe(SUCCESSOR);
  });

  it('is told so when the scope is the reason', async () => {
    const alive = recordOf({ used: false });
    expect((await present({ record: alive }, { scope: 'openid phone' })).error).toBe('invalid_scope');
    const retried = await present({ record: recordOf({}) }, { scope: 'openid phone' });
    expect(retried.error).toBe('invalid_scope');
    // a dead token learns nothing of scopes
    const dead = recordOf({ used: false, alive: false });
    expect((await present({ record: dead }, { scope: 'phone' })).error).toBe('invalid_grant');
  });
});

describe('what is not worth a look', () => {
  it.each([
    [{ refresh_token: '' }, 'invalid_request'],
    [{ refresh_token: 'rt_short' }, 'invalid_grant'],
    [{ refresh_token: OLD.toUpperCase() }, 'invalid_grant'],
    [{ refresh_token: `${OLD}=` }, 'invalid_grant'],
    [{ refresh_token: `${OLD}\n` }, 'invalid_grant'],
    [{ scope: '   ' }, 'invalid_scope'],
    [{ scope: 'openid "x"' }, 'invalid_scope'],
  ])('%j', async (form, error) => {
    const result = await present({ rotates: true }, form);
    expect(result.error).toBe(error);
    expect(result.rotations).toEqual([]);
  });
});
