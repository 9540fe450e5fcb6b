import { Body, Post } from '@nestjs/common';
import type { z } from 'zod';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { ImportHumanUser } from '../../domain/imports/records/import-human-user.js';
import type { OrgId } from '../../domain/shared/ids.js';
import { UsersStore } from '../../domain/users/users.store.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { ActingOrg } from '../shared/caller.js';
import { listAnswer, pageQuery } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { Source } from '../shared/source.js';
import { addedHumanBody, createdUserAnswer, userAnswer } from '../shared/user.schemas.js';
import { userSearchBody } from './user-search.schemas.js';

/** Users of the organization as a list: looking through it, and adding to it. */
@ApiController('management/v1/users')
export class UserListController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly users: UsersStore,
    private readonly importHumanUser: ImportHumanUser,
  ) {}

  @Post('_search')
  @Operation({
    summary: 'Search users',
    description: 'All conditions must hold. Ordered by id.',
    permission: 'user.read',
    answer: listAnswer(userAnswer),
  })
  async search(
    @ActingOrg() orgId: OrgId,
    @Body({ schema: userSearchBody }) { query, queries }: z.output<typeof userSearchBody>,
  ) {
    return await this.users.search(orgId, queries, pageQuery({ query }));
  }

  /** Like `_import`, without a hash: whoever may write users may set a password, but bring none along. */
  @Post('human')
  @Operation({
    summary: 'Add a human user',
    description: 'Like an import, without a hash.',
    permission: 'user.write',
    answer: createdUserAnswer,
  })
  async addHuman(
    @Call() call: ApiCall,
    @Source() source: string,
    @Body({ schema: addedHumanBody }) record: z.output<typeof addedHumanBody>,
  ): Promise<WireAnswer> {
    return await this.idempotentRequests.answer(call, async () => {
      const asked = { orgId: call.orgId, ...call.acting, record, source, how: 'added' } as const;
      const human = await this.importHumanUser.prepare(asked);
      return async (tx) => await this.importHumanUser.store(tx, human);
    });
  }
}
