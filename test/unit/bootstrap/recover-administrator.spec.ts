import { describe, expect, it } from 'vitest';
import { HandOutRecoveryLink } from '../../../src/domain/bootstrap/hand-out-recovery-link.js';
import { RecoverAdministrator } from '../../../src/domain/bootstrap/recover-administrator.js';
import { RestoreAdministratorAccess } from '../../../src/domain/bootstrap/restore-administrator-access.js';
import type { EventsStore } from '../../../src/domain/events/events.store.js';
import type { RemoveAllFactors } from '../../../src/domain/factors/remove-all-factors.js';
import type { PasswordsStore } from '../../../src/domain/passwords/passwords.store.js';
import type { InstanceOwner, PermissionsStore } from '../../../src/domain/permissions/permissions.store.js';
import type { OrgId, UserId } from '../../../src/domain/shared/ids.js';
import type { Tx, UnitOfWork } from '../../../src/domain/shared/unit-of-work.js';
import type { UsersStore } from '../../../src/domain/users/users.store.js';
import type { HandOutLink, LinkToHandOut } from '../../../src/domain/users/verification/hand-out-link.js';

function owner(userName: string, email: string): InstanceOwner {
  return {
    userId: userName as UserId,
    orgId: 'acme' as OrgId,
    type: 'human',
    userName,
    loginName: `${userName}@acme.test`,
    email,
    isOrganizationActive: true,
  };
}

function recovering(...owners: InstanceOwner[]) {
  const handedOut: string[] = [];
  const users = {
    lockForUpdate: async () => undefined,
    findState: async () => 'active',
    recordChange: async () => ({ sequence: 2 }),
  } as unknown as UsersStore;
  const events = { append: async () => undefined } as unknown as EventsStore;
  const passwords = { clearAttempts: async () => undefined } as unknown as PasswordsStore;
  const links = {
    execute: async (_: Tx, { userId }: LinkToHandOut) => {
      handedOut.push(userId);
      return { url: 'https://id.test/password/reset', expiresAt: new Date() };
    },
  } as unknown as HandOutLink;
  const recover = new RecoverAdministrator(
    { run: async (work: (tx: Tx) => Promise<unknown>) => await work({} as Tx) } as UnitOfWork,
    { lockRolesShared: async () => undefined, listOwners: async () => owners } as unknown as PermissionsStore,
    users,
    { execute: async () => undefined } as unknown as RemoveAllFactors,
    new RestoreAdministratorAccess(users, passwords, events),
    new HandOutRecoveryLink(users, links, events),
  );
  return { recover, handedOut };
}

describe('recovering an administrator', () => {
  it('S209 goes by the login name before names that somebody else may have, too', async () => {
    const { recover, handedOut } = recovering(
      owner('ada', 'ada@mail.test'),
      owner('eve', 'ADA@acme.test'),
      owner('ada@acme.test', 'third@mail.test'),
    );
    expect((await recover.execute('ada@acme.test')).loginName).toBe('ada@acme.test');
    expect(handedOut).toEqual(['ada']);
  });

  it('asks for the login name where a user name or address is that of several', async () => {
    const { recover, handedOut } = recovering(owner('ada', 'both@mail.test'), owner('eve', 'both@mail.test'));
    await expect(recover.execute('both@mail.test')).rejects.toThrow('by the login name');
    expect(handedOut).toEqual([]);
  });
});
