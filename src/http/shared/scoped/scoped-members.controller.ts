import { Body, Delete, Injectable, Param, Post, Put } from '@nestjs/common';
import type { z } from 'zod';
import { IdempotentRequests, type WireAnswer } from '../../../domain/idempotency/idempotent-requests.js';
import { ManageMembers, memberNotFound, type MemberChange } from '../../../domain/members/manage-members.js';
import { MembersStore } from '../../../domain/members/members.store.js';
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import { changeAnswer } from '../answers.js';
import { Call, type ApiCall } from '../api-call.js';
import { checkBody } from '../body.pipe.js';
import { ActingOrg } from '../caller.js';
import { listAnswer, nothingBody, pageQuery } from '../lists.js';
import { Operation } from '../operation.js';
import { ownerIn, type OwnerScope } from '../owner-scope.js';
import { PathId } from '../path-id.js';
import {
  addedMemberAnswer,
  changedMemberAnswer,
  memberAnswer,
  memberBody,
  memberSearchBody,
  newMemberBody,
} from '../schemas/member.schemas.js';

const User = () => Param('userId', new PathId(memberNotFound));
const ENDED_BY_PROMOTION =
  'What somebody below the new roles made for the user ends: `endedCredentials` lists it.';

const SCOPES = {
  organization: { kind: 'ORG_', read: 'org.member.read', write: 'org.member.write' },
  instance: { kind: 'IAM_', read: 'iam.member.read', write: 'iam.member.write' },
} as const;

/** Who holds which roles: in the organization that the call acts in, or in the instance. */
export function membersOf(scope: OwnerScope) {
  const { kind, read, write } = SCOPES[scope];
  const newBody = newMemberBody(kind);
  const body = memberBody(kind);
  const found = memberSearchBody(kind);

  @Injectable()
  abstract class ScopedMembersController {
    constructor(
      private readonly idempotentRequests: IdempotentRequests,
      private readonly store: MembersStore,
      private readonly members: ManageMembers,
    ) {}

    @Post()
    @Operation({
      summary: `Give a user roles in the ${scope}`,
      description: ENDED_BY_PROMOTION,
      permission: write,
      stepUp: 'always',
      answer: addedMemberAnswer,
    })
    async add(
      @Call() call: ApiCall,
      @Body({ schema: newBody }) { userId, roles }: z.output<typeof newBody>,
    ): Promise<WireAnswer> {
      return await this.idempotentRequests.write(call, (tx) =>
        this.members.add(tx, changeOf(scope, call, userId), roles),
      );
    }

    @Post('_search')
    @Operation({
      summary: `Search the members of the ${scope}`,
      permission: read,
      answer: listAnswer(memberAnswer),
    })
    async list(@ActingOrg() orgId: OrgId, @Body({ schema: found }) search: z.output<typeof found>) {
      return await this.store.list(ownerIn(scope, orgId), pageQuery(search));
    }

    @Put(':userId')
    @Operation({
      summary: `Replace the roles of a member of the ${scope}`,
      description: ENDED_BY_PROMOTION,
      permission: write,
      stepUp: 'always',
      ifMatch: true,
      answer: changedMemberAnswer,
    })
    async replace(
      @Call() call: ApiCall,
      @User() userId: UserId,
      @Body({ schema: body }) { roles }: z.output<typeof body>,
    ): Promise<WireAnswer> {
      return await this.idempotentRequests.write(call, (tx) =>
        this.members.replace(tx, changeOf(scope, call, userId), roles),
      );
    }

    @Delete(':userId')
    @Operation({ summary: `Remove a member of the ${scope}`, permission: write, answer: changeAnswer })
    async remove(@Call() call: ApiCall, @User() userId: UserId): Promise<WireAnswer> {
      checkBody(nothingBody, call.body);
      return await this.idempotentRequests.change(call, (tx) =>
        this.members.remove(tx, changeOf(scope, call, userId)),
      );
    }
  }

  return ScopedMembersController;
}

function changeOf(scope: OwnerScope, { orgId, acting }: ApiCall, userId: UserId): MemberChange {
  return { place: ownerIn(scope, orgId), userId, orgId, ...acting };
}
