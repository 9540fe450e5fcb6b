import { Body, Delete, Get, Post, Put } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import type { OrgId } from '../../domain/shared/ids.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import {
  ManageUserMigration,
  type UserMigrationChange,
} from '../../domain/user-migration/manage-user-migration.js';
import { UserMigrationsStore } from '../../domain/user-migration/user-migrations.store.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { ActingOrg } from '../shared/caller.js';
import { nothingBody } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import {
  changedUserMigrationAnswer,
  userMigrationAnswer,
  userMigrationBody,
} from './user-migration.schemas.js';

// whoever keeps it learns passwords, as whoever keeps an identity provider could
const read = 'org.idp.read';
const write = 'org.idp.write';

/** The old system that users of the organization are migrated from at their first sign-in (docs/just-in-time-migration.md). */
@ApiController('management/v1/user_migration')
export class UserMigrationController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly manage: ManageUserMigration,
    private readonly migrations: UserMigrationsStore,
  ) {}

  @Get()
  @Operation({
    summary: 'Find the just-in-time migration',
    description: 'With its progress, and without its secret.',
    permission: read,
    answer: z.object({ userMigration: userMigrationAnswer }),
  })
  async find(@ActingOrg() owner: OrgId) {
    return { userMigration: { owner, record: await this.migrations.find(owner) } };
  }

  @Put()
  @Operation({
    summary: 'Set the just-in-time migration up, or replace its settings',
    description:
      'While it is active, the old system is asked once about whoever signs in with a name that nobody has, or that has no ' +
      'password yet. The answer to the first call has the secret that requests are signed with, and no other one has.',
    permission: write,
    stepUp: 'always',
    ifMatch: true,
    answer: changedUserMigrationAnswer,
  })
  async replace(
    @Call() call: ApiCall,
    @Body({ schema: userMigrationBody }) { plan, bindPassword }: z.output<typeof userMigrationBody>,
  ): Promise<WireAnswer> {
    return await this.change(
      call,
      async (tx, change) => await this.manage.replace(tx, change, plan, bindPassword),
    );
  }

  @Post('_rotate_secret')
  @Operation({
    summary: 'Make a new secret that requests of the just-in-time migration are signed with',
    description: 'The one before is used no longer. It is shown this once.',
    permission: write,
    stepUp: 'always',
    answer: changedUserMigrationAnswer,
  })
  async rotateSecret(@Call() call: ApiCall): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    return await this.change(call, async (tx, change) => await this.manage.rotateSecret(tx, change));
  }

  @Delete()
  @Operation({
    summary: 'Remove the just-in-time migration',
    description: 'With its progress. Whoever has come over stays.',
    permission: write,
    ifMatch: true,
    answer: changeAnswer,
  })
  async remove(@Call() call: ApiCall): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    return await this.change(call, async (tx, change) => ({ details: await this.manage.remove(tx, change) }));
  }

  private async change(
    call: ApiCall,
    write: (tx: Tx, change: UserMigrationChange) => Promise<object>,
  ): Promise<WireAnswer> {
    const change = { orgId: call.orgId, actorId: call.caller };
    return await this.idempotentRequests.write(call, (tx) => write(tx, change));
  }
}
