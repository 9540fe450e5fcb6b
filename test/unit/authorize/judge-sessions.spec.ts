import { describe, expect, it } from 'vitest';
import type { AuthorizationRequest } from '../../../src/domain/authorize/auth-request.js';
import { isGoodEnough, judgeSessions } from '../../../src/domain/authorize/flow/judge-sessions.js';
import type { Proofs } from '../../../src/domain/sessions/proof.js';
import type { Session, UserAgent } from '../../../src/domain/sessions/session.js';
import type { ApplicationId, OrgId, SessionId, UserAgentId, UserId } from '../../../src/domain/shared/ids.js';

const agentId = 'agent' as UserAgentId;

function session(userId: string, changes: Partial<Session> = {}): Session {
  return {
    id: `session of ${userId}` as SessionId,
    orgId: 'o1' as OrgId,
    userId: userId as UserId,
    userAgentId: agentId,
    authAgeSeconds: 60,
    authenticatedAt: 1_800_000_000 - 60,
    proofs: { password: 1_800_000_000 - 60 },
    reachableLevel: 1,
    ...changes,
  };
}

function agent(sessions: readonly Session[], lapsed: readonly Session[] = []): UserAgent {
  return { id: agentId, sessions, lapsed };
}

function request(changes: Partial<AuthorizationRequest> = {}): AuthorizationRequest {
  return {
    applicationId: 'a1' as ApplicationId,
    redirectUri: 'https://rp.test/cb',
    responseType: 'code',
    responseMode: 'query',
    scopes: ['openid'],
    prompts: [],
    uiLocales: [],
    ...changes,
  };
}

const ada = session('ada');
const eve = session('eve');

describe('a request in a browser', () => {
  it.each<[string, Partial<AuthorizationRequest>, UserAgent | undefined, string | undefined, string]>([
    ['that is new', {}, undefined, undefined, 'sign-in'],
    ['without sessions', {}, agent([]), undefined, 'sign-in'],
    ['with one session', {}, agent([ada]), undefined, 'answer'],
    ['with two sessions', {}, agent([ada, eve]), undefined, 'choose'],
    [
      'with two sessions, one hinted by ID token',
      { hintedUserId: 'eve' },
      agent([ada, eve]),
      undefined,
      'answer',
    ],
    ['whose session is another than the hinted', { hintedUserId: 'eve' }, agent([ada]), undefined, 'sign-in'],
    ['with two sessions, one named by login_hint', { loginHint: 'eve' }, agent([ada, eve]), 'eve', 'choose'],
    ['whose session is another than login_hint names', { loginHint: 'eve' }, agent([ada]), 'eve', 'choose'],
    ['whose session is the one that login_hint names', { loginHint: 'ada' }, agent([ada]), 'ada', 'answer'],
    ['with a login_hint that names nobody', { loginHint: 'nobody' }, agent([ada]), undefined, 'choose'],
    ['with a session, under prompt=login', { prompts: ['login'] }, agent([ada]), undefined, 'sign-in'],
    [
      'with two sessions, under prompt=login',
      { prompts: ['login'] },
      agent([ada, eve]),
      undefined,
      'sign-in',
    ],
    [
      'with a session, under select_account',
      { prompts: ['select_account'] },
      agent([ada]),
      undefined,
      'choose',
    ],
    [
      'with a lapsed one, under select_account',
      { prompts: ['select_account'] },
      agent([], [ada]),
      undefined,
      'choose',
    ],
    ['with none, under select_account', { prompts: ['select_account'] }, agent([]), undefined, 'sign-in'],
    [
      'under login and select_account',
      { prompts: ['login', 'select_account'] },
      agent([ada]),
      undefined,
      'choose',
    ],
    ['under consent', { prompts: ['consent'] }, agent([ada]), undefined, 'answer'],
    ['under create', { prompts: ['create'] }, agent([ada]), undefined, 'register'],
    ['under create and login', { prompts: ['create', 'login'] }, agent([ada]), undefined, 'register'],
    ['whose session is too old', { maxAge: 59 }, agent([ada]), undefined, 'sign-in'],
    ['whose session is just young enough', { maxAge: 60 }, agent([ada]), undefined, 'answer'],
    [
      'under max_age=0',
      { maxAge: 0 },
      agent([session('ada', { authAgeSeconds: 0.4 })]),
      undefined,
      'sign-in',
    ],
    ['whose user must act', {}, agent([session('ada', { step: 'verify-email' })]), undefined, 'act'],
    ['only with a lapsed session', {}, agent([], [ada]), undefined, 'sign-in'],
    ['with two sessions, silently', { prompts: ['none'] }, agent([ada, eve]), undefined, 'choose'],
    [
      'with two, silently, one named by login_hint',
      { prompts: ['none'] },
      agent([ada, eve]),
      'eve',
      'answer',
    ],
    ['silently, with another than login_hint names', { prompts: ['none'] }, agent([ada]), 'eve', 'answer'],
  ])('%s', (_name, changes, browser, named, kind) => {
    expect(judgeSessions(request(changes), browser, named).kind).toBe(kind);
  });

  it('is answered by the session that was hinted', () => {
    expect(judgeSessions(request({ hintedUserId: 'eve' }), agent([ada, eve]), undefined)).toEqual({
      kind: 'answer',
      session: eve,
    });
    expect(judgeSessions(request({ prompts: ['none'] }), agent([ada, eve]), 'eve')).toEqual({
      kind: 'answer',
      session: eve,
    });
  });
});

describe('an account that was chosen', () => {
  const now = 1_800_000_000;
  const aged = (seconds: number): Session =>
    session('ada', { authenticatedAt: now - seconds, proofs: { password: now - seconds } });

  it.each<[string, Partial<AuthorizationRequest>, number, number, boolean]>([
    ['has any session', {}, 5000, 10, true],
    ['was too old when the request arrived', { maxAge: 100 }, 120, 10, false],
    [
      'was young enough when the request arrived, and the list was open for long',
      { maxAge: 100 },
      700,
      610,
      true,
    ],
    ['signed in since then, though max_age has passed again', { maxAge: 1 }, 30, 40, true],
    ['must sign in again', { prompts: ['login', 'select_account'] }, 30, 10, false],
    ['did sign in again', { prompts: ['login', 'select_account'] }, 5, 10, true],
  ])('%s', (_name, changes, age, flowAge, good) => {
    expect(isGoodEnough(request(changes), aged(age), now - flowAge)).toBe(good);
  });

  it('has any session for a page of our own', () => {
    expect(isGoodEnough(undefined, aged(5000), now - 1)).toBe(true);
  });
});

describe('a session that nobody but a provider vouches for', () => {
  const now = 1_800_000_000;
  const shownAt = (proofs: Proofs, age = 30): Session =>
    session('ada', { authAgeSeconds: age, authenticatedAt: now - age, proofs });
  const silent = { external: now - 30 };

  it.each<[string, Proofs, boolean]>([
    ['let them through by its own session', silent, false],
    ['was asked to have them sign in anew', { ...silent, 'external-told': now - 30 }, true],
    ['says that they signed in so long ago', { ...silent, 'external-told': now - 3600 }, true],
    ['says that they signed in longer ago', { ...silent, 'external-told': now - 3601 }, false],
    ['says that they have just signed in', { ...silent, 'external-anew': now - 30 }, true],
    ['let them through, with a code of theirs', { ...silent, totp: now - 20 }, true],
    ['let them through, after a code by mail', { ...silent, mailbox: now - 3000 }, true],
    ['let them through, long after a code by mail', { ...silent, mailbox: now - 3601 }, false],
  ])('%s: max_age (S358)', (_name, proofs, good) => {
    const held = { maxAge: 3600 };
    expect(judgeSessions(request(held), agent([shownAt(proofs)]), undefined).kind).toBe(
      good ? 'answer' : 'sign-in',
    );
    expect(isGoodEnough(request(held), shownAt(proofs), now)).toBe(good);
    // and is as good as any where nobody asks for that
    expect(judgeSessions(request(), agent([shownAt(proofs)]), undefined).kind).toBe('answer');
  });

  it.each<[string, Proofs, boolean]>([
    ['let them through', { external: now - 5 }, false],
    [
      'let them through, and a code of theirs is older than that',
      { external: now - 5, totp: now - 20 },
      false,
    ],
    ['was asked to have them sign in anew', { external: now - 5, 'external-told': now - 5 }, true],
    ['says that they signed in before', { external: now - 5, 'external-told': now - 60 }, false],
    ['let them through, with a code of theirs', { external: now - 5, totp: now - 3 }, true],
  ])('and %s meanwhile: prompt=login (S358)', (_name, proofs, good) => {
    const asked = request({ prompts: ['login'] });
    expect(isGoodEnough(asked, shownAt(proofs, 5), now - 10)).toBe(good);
    expect(isGoodEnough(request({ maxAge: 0 }), shownAt(proofs, 5), now - 10)).toBe(good);
    expect(isGoodEnough(request(), shownAt(proofs, 5), now - 10)).toBe(true);
  });
});
