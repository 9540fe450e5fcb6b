import { Delete, HttpCode, Param, Post, Put } from '@nestjs/common';
import { z } from 'zod';
import { AnswerOnce } from '../../domain/idempotency/answer-once.js';
import { ManageMembers, type MemberChange, memberNotFound } from '../../domain/members/manage-members.js';
import { MembersStore } from '../../domain/members/members.store.js';
import type { UserId } from '../../domain/shared/ids.js';
import { changedSchema, createdDetailsSchema, listSchema } from '../shared/answer-schemas.js';
import { Documented } from '../shared/documented.js';
import { type ApiCall, Call } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { readNothing } from '../shared/api-fields.js';
import { changedDetails, createdDetails, type DetailsResponse } from '../shared/details-response.js';
import { type ListResponse, listResponse, pageQuery, readSearch } from '../shared/lists.js';
import {
  memberReader,
  memberResponse,
  memberSchema,
  type MemberResponse,
  newMemberReader,
} from '../shared/member-body.js';
import { PathId } from '../shared/path-id.js';
import { RequiresPermission } from '../shared/permission.guard.js';

const USER_ID = new PathId(memberNotFound);

export const readNewInstanceMember = newMemberReader('IAM_');
export const readInstanceMember = memberReader('IAM_');

/** Who holds which roles in the instance. They count in every organization. */
@ApiController('admin/v1/members')
export class InstanceMembersController {
  constructor(
    private readonly answerOnce: AnswerOnce,
    private readonly members: MembersStore,
    private readonly manage: ManageMembers,
  ) {}

  @Post()
  @HttpCode(200)
  @RequiresPermission('iam.member.write')
  @Documented({
    summary: 'Give a user roles in the instance',
    body: readNewInstanceMember,
    answer: z.strictObject({ details: createdDetailsSchema }),
  })
  async add(@Call() call: ApiCall): Promise<{ details: DetailsResponse }> {
    const { userId, roles } = readNewInstanceMember(call.body);
    return await this.answerOnce.run(call, async () => async (tx) => ({
      details: createdDetails(await this.manage.add(tx, changeOf(call, userId), roles)),
    }));
  }

  @Post('_search')
  @HttpCode(200)
  @RequiresPermission('iam.member.read')
  @Documented({
    summary: 'Search the members of the instance',
    body: readSearch,
    answer: listSchema(memberSchema),
  })
  async list(@Call() { body }: ApiCall): Promise<ListResponse<MemberResponse>> {
    const query = pageQuery(readSearch(body ?? {}));
    return listResponse(await this.members.list(null, query), memberResponse);
  }

  @Put(':userId')
  @RequiresPermission('iam.member.write')
  @Documented({
    summary: 'Replace the roles of a member of the instance',
    body: readInstanceMember,
    answer: changedSchema,
  })
  async replace(
    @Call() call: ApiCall,
    @Param('userId', USER_ID) userId: string,
  ): Promise<{ details: DetailsResponse }> {
    const { roles } = readInstanceMember(call.body);
    return await this.answerOnce.run(call, async () => async (tx) => ({
      details: changedDetails(await this.manage.replace(tx, changeOf(call, userId), roles)),
    }));
  }

  @Delete(':userId')
  @RequiresPermission('iam.member.write')
  @Documented({ summary: 'Remove a member of the instance', answer: changedSchema })
  async remove(
    @Call() call: ApiCall,
    @Param('userId', USER_ID) userId: string,
  ): Promise<{ details: DetailsResponse }> {
    readNothing(call.body ?? {});
    return await this.answerOnce.run(call, async () => async (tx) => ({
      details: changedDetails(await this.manage.remove(tx, changeOf(call, userId))),
    }));
  }
}

function changeOf({ orgId, acting }: ApiCall, userId: string): MemberChange {
  return { place: null, userId: userId as UserId, orgId, ...acting };
}
