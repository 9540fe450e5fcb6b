import { Injectable } from '@nestjs/common';
import { allows, type Permission } from '../permissions/permissions.js';
import { PermissionsStore } from '../permissions/permissions.store.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { ImportJob, ImportStop } from './import-job.js';
import { ImportAftercareStore } from './import-aftercare.store.js';
import { reasonToStop } from './import-standing.js';

/**
 * Whether somebody may still do what they once asked for: read again for each chunk, so that whoever loses a permission
 * stops what they began (security S164, F46).
 */
@Injectable()
export class ImportPermission {
  constructor(
    private readonly permissions: PermissionsStore,
    private readonly aftercare: ImportAftercareStore,
  ) {}

  /** Over an import into the whole instance only roles of the instance count. */
  async holds(
    userId: UserId,
    { orgId, instanceWide }: { readonly orgId: OrgId; readonly instanceWide: boolean },
    needed: Permission,
    tx?: Tx,
  ): Promise<boolean> {
    const roles = (await this.permissions.findRoles(userId, orgId, tx)) ?? [];
    const counted = instanceWide ? roles.filter((role) => role.startsWith('IAM_')) : roles;
    return allows(counted, needed);
  }

  /** Why what was asked for after the end of an import, its undoing or its messages, does not go on; undefined if it does. */
  async reasonToHold(job: ImportJob, askedBy: UserId): Promise<ImportStop | undefined> {
    const asker = await this.aftercare.findAsker(job.id, askedBy);
    if (asker === undefined) return undefined;
    const reason = reasonToStop(asker.standing);
    if (reason !== undefined) return reason;
    const may = asker.callerActive && (await this.holds(askedBy, job, 'user.import'));
    return may ? undefined : 'permission_lost';
  }
}
