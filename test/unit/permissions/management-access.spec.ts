import { describe, expect, it } from 'vitest';
import {
  effectiveRoles,
  MANAGEMENT_ACCESS,
  presentAccess,
  type AgreedAccess,
  type ManagementAccess,
} from '../../../src/domain/permissions/management-access.js';
import type { Role } from '../../../src/domain/permissions/permissions.js';
import type { HeldRole } from '../../../src/domain/permissions/rank.js';
import type { OrgId } from '../../../src/domain/shared/ids.js';

const HERE = 'here' as OrgId;
const THERE = 'there' as OrgId;
const HELD: readonly HeldRole[] = [
  { role: 'IAM_OWNER', orgId: null },
  { role: 'ORG_OWNER', orgId: HERE },
  { role: 'ORG_OWNER', orgId: THERE },
];
const GIVERS: Readonly<Record<ManagementAccess, readonly Role[]>> = {
  none: ['ORG_USER_MANAGER', 'IAM_OWNER_VIEWER', 'ORG_ADMIN_IMPERSONATOR'],
  organization: ['ORG_OWNER'],
  instance: ['IAM_OWNER'],
};

function application(changes: Partial<AgreedAccess> = {}): AgreedAccess {
  return {
    orgId: HERE,
    access: 'instance',
    firstParty: false,
    grantorRoles: ['IAM_OWNER'],
    agreed: 'instance',
    ...changes,
  };
}

describe('S181: the roles that a token acts with', () => {
  it('are all of the user’s for a token of their own, and none for an application that is gone', () => {
    expect(effectiveRoles(HELD, null)).toEqual(HELD);
    expect(effectiveRoles(HELD, undefined)).toEqual([]);
  });

  it('are the least of what the application was given, its giver could give, and the user agreed to', () => {
    for (const access of MANAGEMENT_ACCESS) {
      for (const given of MANAGEMENT_ACCESS) {
        for (const agreed of MANAGEMENT_ACCESS) {
          const least = [access, given, agreed].toSorted(
            (one, other) => MANAGEMENT_ACCESS.indexOf(one) - MANAGEMENT_ACCESS.indexOf(other),
          )[0];
          const roles = effectiveRoles(HELD, application({ access, agreed, grantorRoles: GIVERS[given] }));
          const expected = { none: [], organization: [HELD[1]], instance: HELD }[least ?? 'none'];
          expect(roles, `${access}, given by ${given}, agreed ${agreed}`).toEqual(expected);
        }
      }
    }
  });

  it('ask nobody where bootstrap made the application, but its access', () => {
    const own = { firstParty: true, grantorRoles: [], agreed: 'none' } as const;
    expect(effectiveRoles(HELD, application(own))).toEqual(HELD);
    expect(effectiveRoles(HELD, application({ ...own, access: 'organization' }))).toEqual([HELD[1]]);
    expect(effectiveRoles(HELD, application({ ...own, access: 'none' }))).toEqual([]);
  });

  it('are never more than the user holds', () => {
    expect(effectiveRoles([], application())).toEqual([]);
    expect(presentAccess(application({ grantorRoles: [] }))).toBe('none');
  });
});
