import { describe, expect, it } from 'vitest';
import type { OrgId, UserId } from '../../../src/domain/shared/ids.js';
import { ResolveLoginName } from '../../../src/domain/sign-in/resolve-login-name.js';
import {
  SignInNamesStore,
  type AccountOfAddress,
  type NameCandidate,
} from '../../../src/domain/sign-in/sign-in-names.store.js';

class FakeNames extends SignInNamesStore {
  readonly asked: string[] = [];

  constructor(private readonly candidates: readonly NameCandidate[] = []) {
    super();
  }

  override findCandidates(canonical: string): Promise<readonly NameCandidate[]> {
    this.asked.push(canonical);
    return Promise.resolve(this.candidates);
  }

  override findAccountsOf(): Promise<readonly AccountOfAddress[]> {
    return Promise.resolve([]);
  }

  override mayNotifyAccounts(): Promise<boolean> {
    return Promise.resolve(false);
  }
}

function candidate(userId: string, changes: Partial<NameCandidate> = {}): NameCandidate {
  return {
    userId: userId as UserId,
    orgId: 'org' as OrgId,
    active: true,
    full: false,
    proven: false,
    at: 'elsewhere',
    ...changes,
  };
}

const named = (userId: string, changes: Partial<NameCandidate> = {}): NameCandidate =>
  candidate(userId, { at: 'named', ...changes });
const own = (userId: string, changes: Partial<NameCandidate> = {}): NameCandidate =>
  candidate(userId, { at: 'application', ...changes });

describe('whom a typed name means', () => {
  it.each<[string, NameCandidate[], string | undefined]>([
    ['nobody has it', [], undefined],
    ['one user has it', [candidate('a')], 'a'],
    ['one user has it twice, as name and e-mail', [own('a'), own('a')], 'a'],
    ['two users have it', [candidate('a'), candidate('b')], undefined],
    ['one of them is of the application’s organization', [candidate('a'), own('b')], 'b'],
    ['one of them is of the organization that the request names', [own('a'), named('b')], 'b'],
    ['two of the application’s organization have it', [own('a'), own('b'), candidate('c')], undefined],
    ['two of the organization named have it', [named('a'), named('b'), own('c')], undefined],
    ['it is the full name of one and a bare name here', [own('a'), candidate('b', { full: true })], 'b'],
    [
      'it is the full name of one elsewhere and an address that one here has proven',
      [own('a', { proven: true }), candidate('b', { full: true })],
      'a',
    ],
    [
      'it is an address that one here has proven and a name of another one (S473)',
      [own('a', { proven: true }), own('c'), candidate('b', { full: true })],
      'a',
    ],
    [
      'so it is in the organization that the request names (S473)',
      [named('a', { proven: true }), named('c'), own('b')],
      'a',
    ],
    [
      'it is an address elsewhere that one has proven and a verified domain speaks for another',
      [candidate('a', { proven: true }), candidate('b', { orgId: 'other' as OrgId })],
      undefined,
    ],
    [
      'it is an address here that a manager speaks for and a name of another one',
      [own('a'), own('c'), candidate('b', { proven: true })],
      undefined,
    ],
    [
      'it is a full name and an address that another one has proven, both here (S379)',
      [own('a', { proven: true }), own('b', { full: true })],
      'a',
    ],
    [
      'so it is in the organization that the request names',
      [named('a', { proven: true }), named('b', { full: true })],
      'a',
    ],
    [
      'so it is in an organization elsewhere',
      [candidate('a', { proven: true }), candidate('b', { full: true })],
      'a',
    ],
    [
      'it is a full name elsewhere and an address of another organization elsewhere',
      [candidate('a', { proven: true, orgId: 'other' as OrgId }), candidate('b', { full: true })],
      'b',
    ],
    [
      'two have proven it, of whom it is the full name of one',
      [own('a', { proven: true }), own('a', { full: true }), own('c', { proven: true })],
      'a',
    ],
    [
      'it is a full name of elsewhere and a name in the one named',
      [candidate('a', { full: true }), named('b')],
      'b',
    ],
    ['of those of the one named it is the full name of one', [named('a'), named('b', { full: true })], 'b'],
    ['the one who has it is not active', [candidate('a', { active: false })], 'a'],
  ])('%s', async (_name, candidates, expected) => {
    const resolved = await new ResolveLoginName(new FakeNames(candidates)).resolve('name', {});
    expect(resolved?.userId).toBe(expected);
  });

  it.each([
    [' Ada@Example.TEST ', 'ada@example.test'],
    ['ＡＤＡ', 'ada'],
    ['Straße', 'strasse'],
  ])('asks for %j in canonical form', async (typed, canonical) => {
    const names = new FakeNames();
    await new ResolveLoginName(names).resolve(typed, {});
    expect(names.asked).toEqual([canonical]);
  });

  it.each(['', '   ', 'a\u0000b', 'x'.repeat(501)])('does not ask for %j', async (typed) => {
    const names = new FakeNames([candidate('a')]);
    expect(await new ResolveLoginName(names).resolve(typed, {})).toBeUndefined();
    expect(names.asked).toEqual([]);
  });
});
