import { Delete, HttpCode, Param, Post, Put } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import { ManageMembers, memberNotFound, type MemberChange } from '../../domain/members/manage-members.js';
import { MembersStore } from '../../domain/members/members.store.js';
import type { UserId } from '../../domain/shared/ids.js';
import { changedSchema, createdDetailsSchema, listSchema } from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { readNothing } from '../shared/api-fields.js';
import { changedDetails, createdDetails, type DetailsResponse } from '../shared/details-response.js';
import { Documented } from '../shared/documented.js';
import { listResponse, pageQuery, readSearch, type ListResponse } from '../shared/lists.js';
import {
  ENDED_BY_PROMOTION,
  endedResponse,
  endedSchema,
  memberReader,
  memberResponse,
  memberSchema,
  newMemberReader,
  type ChangedMemberResponse,
  type MemberResponse,
} from '../shared/member-body.js';
import { PathId } from '../shared/path-id.js';
import { RequiresPermission } from '../shared/permission.guard.js';

const USER_ID = new PathId(memberNotFound);

export const readNewOrganizationMember = newMemberReader('ORG_');
export const readOrganizationMember = memberReader('ORG_');

/** Who holds which roles in the organization that the call acts in. */
@ApiController('management/v1/orgs/me/members')
export class OrganizationMembersController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly members: MembersStore,
    private readonly manage: ManageMembers,
  ) {}

  @Post()
  @HttpCode(200)
  @RequiresPermission('org.member.write')
  @Documented({
    summary: 'Give a user roles in the organization',
    body: readNewOrganizationMember,
    description: ENDED_BY_PROMOTION,
    answer: z.strictObject({ details: createdDetailsSchema, endedCredentials: endedSchema }),
  })
  async add(@Call() call: ApiCall): Promise<ChangedMemberResponse> {
    const { userId, roles } = readNewOrganizationMember(call.body);
    return await this.idempotentRequests.run(call, async () => async (tx) => {
      const { details, ended } = await this.manage.add(tx, changeOf(call, userId), roles);
      return { details: createdDetails(details), ...endedResponse(ended) };
    });
  }

  @Post('_search')
  @HttpCode(200)
  @RequiresPermission('org.member.read')
  @Documented({
    summary: 'Search the members of the organization',
    body: readSearch,
    answer: listSchema(memberSchema),
  })
  async list(@Call() { orgId, body }: ApiCall): Promise<ListResponse<MemberResponse>> {
    const query = pageQuery(readSearch(body ?? {}));
    return listResponse(await this.members.list(orgId, query), memberResponse);
  }

  @Put(':userId')
  @RequiresPermission('org.member.write')
  @Documented({
    summary: 'Replace the roles of a member of the organization',
    body: readOrganizationMember,
    description: ENDED_BY_PROMOTION,
    answer: changedSchema.extend({ endedCredentials: endedSchema }),
  })
  async replace(
    @Call() call: ApiCall,
    @Param('userId', USER_ID) userId: string,
  ): Promise<ChangedMemberResponse> {
    const { roles } = readOrganizationMember(call.body);
    return await this.idempotentRequests.run(call, async () => async (tx) => {
      const { details, ended } = await this.manage.replace(tx, changeOf(call, userId), roles);
      return { details: changedDetails(details), ...endedResponse(ended) };
    });
  }

  @Delete(':userId')
  @RequiresPermission('org.member.write')
  @Documented({ summary: 'Remove a member of the organization', answer: changedSchema })
  async remove(
    @Call() call: ApiCall,
    @Param('userId', USER_ID) userId: string,
  ): Promise<{ details: DetailsResponse }> {
    readNothing(call.body ?? {});
    return await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await this.manage.remove(tx, changeOf(call, userId))),
    }));
  }
}

function changeOf({ orgId, acting }: ApiCall, userId: string): MemberChange {
  return { place: orgId, userId: userId as UserId, orgId, ...acting };
}
