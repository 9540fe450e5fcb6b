import { describe, expect, it } from 'vitest';
import { allows, ROLES, type Role } from '../../../src/domain/permissions/permissions.js';

function rolesWith(permission: Parameters<typeof allows>[1]): Role[] {
  return ROLES.filter((role) => allows([role], permission));
}

describe('roles and what they allow', () => {
  it('keeps importing with owners', () => {
    expect(rolesWith('user.import')).toEqual(['IAM_OWNER', 'ORG_OWNER']);
  });

  it('lets managers write users and viewers read them', () => {
    expect(rolesWith('user.write')).toEqual(['IAM_OWNER', 'ORG_OWNER', 'ORG_USER_MANAGER']);
    expect(rolesWith('user.read')).toEqual([
      'IAM_OWNER',
      'IAM_OWNER_VIEWER',
      'ORG_OWNER',
      'ORG_USER_MANAGER',
      'ORG_OWNER_VIEWER',
    ]);
  });

  it('keeps projects and applications with owners, queues with the instance', () => {
    expect(rolesWith('project.write')).toEqual(['IAM_OWNER', 'ORG_OWNER']);
    expect(rolesWith('project.app.write')).toEqual(['IAM_OWNER', 'ORG_OWNER']);
    expect(rolesWith('queues.read')).toEqual(['IAM_OWNER', 'IAM_OWNER_VIEWER']);
    expect(rolesWith('queues.write')).toEqual(['IAM_OWNER']);
  });

  it('gives impersonators nothing here, and nobody anything without a role', () => {
    for (const role of ROLES.filter((name) => name.endsWith('IMPERSONATOR'))) {
      expect(allows([role], 'user.read')).toBe(false);
    }
    expect(allows([], 'user.read')).toBe(false);
  });

  it('lets whoever reads events read all that has a name there', () => {
    const named = [
      'user.read',
      'project.read',
      'project.app.read',
      'org.read',
      'org.idp.read',
      'org.webhook.read',
    ] as const;
    for (const role of rolesWith('events.read')) {
      expect(named.filter((permission) => !allows([role], permission))).toEqual([]);
    }
    const ofInstance = [
      'events.read',
      'iam.read',
      'iam.notification_provider.read',
      'iam.idp.read',
      'iam.webhook.read',
    ] as const;
    for (const role of rolesWith('iam.events.read')) {
      expect(ofInstance.filter((permission) => !allows([role], permission))).toEqual([]);
    }
  });

  it('adds roles up', () => {
    expect(allows(['ORG_OWNER_VIEWER', 'ORG_USER_MANAGER'], 'user.write')).toBe(true);
  });
});
