import { describe, expect, it } from 'vitest';
import type { OrgId, UserId } from '../../../src/domain/shared/ids.js';
import { ResolveLoginName } from '../../../src/domain/sign-in/resolve-login-name.js';
import { type NameCandidate, SignInNamesStore } from '../../../src/domain/sign-in/sign-in-names.store.js';

class FakeNames extends SignInNamesStore {
  readonly asked: string[] = [];

  constructor(private readonly candidates: readonly NameCandidate[] = []) {
    super();
  }

  override findCandidates(canonical: string): Promise<readonly NameCandidate[]> {
    this.asked.push(canonical);
    return Promise.resolve(this.candidates);
  }
}

function candidate(userId: string, changes: Partial<NameCandidate> = {}): NameCandidate {
  return {
    userId: userId as UserId,
    orgId: 'org' as OrgId,
    active: true,
    full: false,
    inDefaultOrg: false,
    ...changes,
  };
}

const THERE = 'there' as OrgId;
const there = (userId: string, changes: Partial<NameCandidate> = {}): NameCandidate =>
  candidate(userId, { orgId: THERE, ...changes });

describe('whom a typed name means', () => {
  it.each<[string, NameCandidate[], string | undefined]>([
    ['nobody has it', [], undefined],
    ['one user has it', [candidate('a')], 'a'],
    ['one user has it twice, as name and e-mail', [candidate('a'), candidate('a')], 'a'],
    ['two users have it', [candidate('a'), candidate('b')], undefined],
    [
      'one of them is in the default organization',
      [candidate('a'), candidate('b', { inDefaultOrg: true })],
      'b',
    ],
    [
      'two of them are in the default organization',
      [candidate('a', { inDefaultOrg: true }), candidate('b', { inDefaultOrg: true }), candidate('c')],
      undefined,
    ],
    [
      'it is the full name of one and the e-mail of another',
      [candidate('a', { inDefaultOrg: true }), candidate('b', { full: true })],
      'b',
    ],
    ['the one who has it is not active', [candidate('a', { active: false })], 'a'],
  ])('%s', async (_name, candidates, expected) => {
    const resolved = await new ResolveLoginName(new FakeNames(candidates)).resolve('name');
    expect(resolved?.userId).toBe(expected);
  });

  it.each<[string, NameCandidate[], string | undefined]>([
    ['its user before the default organization’s', [candidate('a', { inDefaultOrg: true }), there('b')], 'b'],
    ['its user before one whose full name it is', [candidate('a', { full: true }), there('b')], 'b'],
    ['of its users the one whose full name it is', [there('a'), there('b', { full: true })], 'b'],
    ['nobody where two of its users have it', [candidate('a'), there('b'), there('c')], undefined],
    ['whom it meant anyway where none of its users has it', [candidate('a')], 'a'],
  ])('means, where an organization is asked for, %s', async (_name, candidates, expected) => {
    const resolved = await new ResolveLoginName(new FakeNames(candidates)).resolve('name', THERE);
    expect(resolved?.userId).toBe(expected);
  });

  it.each([
    [' Ada@Example.TEST ', 'ada@example.test'],
    ['ＡＤＡ', 'ada'],
    ['Straße', 'strasse'],
  ])('asks for %j in canonical form', async (typed, canonical) => {
    const names = new FakeNames();
    await new ResolveLoginName(names).resolve(typed);
    expect(names.asked).toEqual([canonical]);
  });

  it.each(['', '   ', 'a\u0000b', 'x'.repeat(501)])('does not ask for %j', async (typed) => {
    const names = new FakeNames([candidate('a')]);
    expect(await new ResolveLoginName(names).resolve(typed)).toBeUndefined();
    expect(names.asked).toEqual([]);
  });
});
