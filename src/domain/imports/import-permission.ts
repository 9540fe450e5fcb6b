import { Injectable } from '@nestjs/common';
import type { Acting } from '../permissions/acting.js';
import { EffectiveRoles } from '../permissions/effective-roles.js';
import { allows, type Permission } from '../permissions/permissions.js';
import type { OrgId } from '../shared/ids.js';
import type { Tx } from '../shared/unit-of-work.js';
import { actingOf, type ClaimedChunk } from './chunks/import-chunks.store.js';
import { reasonToStop } from './import-eligibility.js';
import type { ImportJob, ImportStop, PostImportWork } from './import-job.js';
import { ImportsStore } from './imports.store.js';
import { PASSES } from './records/passes.js';

/**
 * Whether somebody may still do what they once asked for: read again for each chunk, so that whoever loses a permission
 * stops what they began (security S164, F46); and what an application's token could not do its job cannot either (S181).
 */
@Injectable()
export class ImportPermission {
  constructor(
    private readonly roles: EffectiveRoles,
    private readonly imports: ImportsStore,
  ) {}

  /** Over an import into the whole instance only roles of the instance count. */
  async holds(
    acting: Acting,
    { orgId, instanceWide }: { readonly orgId: OrgId; readonly instanceWide: boolean },
    needed: Permission,
    tx?: Tx,
  ): Promise<boolean> {
    const roles = (await this.roles.inOrganization(acting, orgId, tx)) ?? [];
    const counted = instanceWide ? roles.filter((role) => role.startsWith('IAM_')) : roles;
    return allows(counted, needed);
  }

  /** A job of the whole instance has users of every organization. */
  async reachesInstance(caller: Acting, orgId: OrgId, tx?: Tx): Promise<boolean> {
    return await this.holds(caller, { orgId, instanceWide: true }, 'user.import', tx);
  }

  /** Why a chunk, and with it the whole import, must not continue; undefined if it may. */
  async reasonToStop(chunk: ClaimedChunk): Promise<ImportStop | undefined> {
    const isOfUsers = chunk.pass === PASSES.users || chunk.pass === PASSES.metadata;
    const needed = isOfUsers ? 'user.import' : 'iam.write';
    const isPermitted = await this.holds(actingOf(chunk), chunk, needed);
    const reason = reasonToStop(chunk.eligibility, isPermitted);
    if (reason !== 'permission_lost') return reason;
    // what took the permission away may have come after the claim's look: the reason is then the later one's
    return reasonToStop((await this.imports.findEligibility(chunk.jobId)) ?? chunk.eligibility, false);
  }

  /** Why undoing an ended import, or sending its messages, must not continue; undefined if it may. */
  async reasonToHold(
    job: ImportJob,
    postImport: PostImportWork,
    asking: Acting,
  ): Promise<ImportStop | undefined> {
    const eligibility = await this.imports.findEligibility(job.id, postImport);
    return eligibility && reasonToStop(eligibility, await this.holds(asking, job, 'user.import'));
  }
}
