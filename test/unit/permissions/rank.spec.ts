import { describe, expect, it } from 'vitest';
import { ROLES, type Role } from '../../../src/domain/permissions/permissions.js';
import { outranksOrEquals, type HeldRole } from '../../../src/domain/permissions/rank.js';
import type { OrgId } from '../../../src/domain/shared/ids.js';

const HERE = 'here' as OrgId;
const THERE = 'there' as OrgId;
const held = (role: Role, orgId = HERE): HeldRole => ({
  role,
  orgId: role.startsWith('IAM_') ? null : orgId,
});

describe('who outranks or equals whom', () => {
  it('everybody somebody without a role', () => {
    expect(outranksOrEquals([], [])).toBe(true);
    for (const role of ROLES) expect(outranksOrEquals([held(role)], [])).toBe(true);
  });

  it('nobody without a role somebody with one', () => {
    for (const role of ROLES) expect(outranksOrEquals([], [held(role)])).toBe(false);
  });

  it('everybody their like', () => {
    for (const role of ROLES) expect(outranksOrEquals([held(role)], [held(role)])).toBe(true);
  });

  it('an owner of the instance all', () => {
    for (const role of ROLES) expect(outranksOrEquals([held('IAM_OWNER')], [held(role, THERE)])).toBe(true);
  });

  it('an owner of an organization all of it, and nobody of another or of the instance', () => {
    for (const role of ROLES) {
      const isHere = role.startsWith('ORG_');
      expect(outranksOrEquals([held('ORG_OWNER')], [held(role)])).toBe(isHere);
      expect(outranksOrEquals([held('ORG_OWNER')], [held(role, THERE)])).toBe(false);
    }
  });

  it.each(ROLES.filter((role) => !role.endsWith('_OWNER')))('%s nobody who may do anything else', (role) => {
    const others = ROLES.filter(
      (other) => other.slice(4) !== role.slice(4) && !other.endsWith('OWNER_VIEWER'),
    );
    for (const other of others) expect(outranksOrEquals([held(role)], [held(other)])).toBe(false);
  });

  it('who reaches each of several roles, by one role or by several', () => {
    const both = [held('ORG_USER_MANAGER'), held('ORG_OWNER', THERE)];
    expect(outranksOrEquals([held('ORG_OWNER')], both)).toBe(false);
    expect(outranksOrEquals([held('ORG_OWNER'), held('ORG_OWNER', THERE)], both)).toBe(true);
  });
});
