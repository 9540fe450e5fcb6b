import { describe, expect, it } from 'vitest';
import type { OrgId } from '../../../src/domain/shared/ids.js';
import { domainOfUserName, userNameIn } from '../../../src/domain/users/names/user-name.js';

const ACME = 'acme' as OrgId;
const primary = { orgId: ACME, isPrimary: true };

describe('the domain of a user name', () => {
  it.each([
    ['ada', null],
    ['ada@acme.test', 'acme.test'],
    ['Ada@ACME.Test.', 'acme.test'],
    ['ada@x@acme.test', 'acme.test'],
    ['ada＠acme.test', 'acme.test'],
    ['ada\u00ad@ac\u200bme.test', 'acme.test'],
    ['@acme.test', null],
    ['\u200b@acme.test', null],
    ['ada@', null],
    ['ada@.', null],
  ])('%s', (userName, domain) => {
    expect(domainOfUserName(userName)).toBe(domain);
  });
});

describe('the user name that is stored', () => {
  it('is as given when nobody has verified its domain, or the own organization beside its primary one', () => {
    expect(userNameIn(ACME, 'ada@acme.test', undefined)).toBe('ada@acme.test');
    expect(userNameIn(ACME, 'ada@acme.test', { orgId: ACME, isPrimary: false })).toBe('ada@acme.test');
  });

  it.each([
    ['Ada@acme.test', 'Ada'],
    ['Ada@ACME.TEST.', 'Ada'],
    ['Ada＠acme.test', 'Ada'],
    ['Ada @acme.test', 'Ada'],
    ['Ada@acme.test@acme.test', 'Ada'],
    ['a@b@acme.test', 'a@b'],
    ['a@acme.test@b@acme.test', 'a@acme.test@b'],
  ])('loses the own primary domain: %s', (given, stored) => {
    expect(userNameIn(ACME, given, primary)).toBe(stored);
  });

  it('must not end with a domain of another organization', () => {
    const owner = { orgId: 'other' as OrgId, isPrimary: false };
    expect(() => userNameIn(ACME, 'ada@other.test', owner)).toThrow(
      'Domain is already reserved and cannot be used (COMMAND-SFd21)',
    );
  });
});
