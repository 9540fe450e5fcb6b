import { Body, Delete, Get, Param, Post, Query } from '@nestjs/common';
import type { z } from 'zod';
import type { AccountChange } from '../../domain/accounts/account-changes.js';
import { ChangeUserState } from '../../domain/accounts/change-user-state.js';
import { DeleteUser } from '../../domain/accounts/delete-user.js';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { ImportHumanUser } from '../../domain/imports/records/import-human-user.js';
import type { ResourceDetails } from '../../domain/shared/details.js';
import type { OrgId, UserId } from '../../domain/shared/ids.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { FindUser, userNotFound } from '../../domain/users/find-user.js';
import { UsersStore } from '../../domain/users/users.store.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, userChange, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { ActingOrg } from '../shared/caller.js';
import { listAnswer, nothingBody, pageQuery } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { PathId } from '../shared/path-id.js';
import {
  addedHumanBody,
  createdUserAnswer,
  foundUserAnswer,
  importedHumanBody,
  importedUserAnswer,
  userAnswer,
} from '../shared/schemas/user.schemas.js';
import { Source } from '../shared/server/source.js';
import { userListAnswer, userListQuery } from './user-list.schemas.js';
import { userSearchBody } from './user-search.schemas.js';

export const User = () => Param('id', new PathId(userNotFound));
const write = 'user.write';

/**
 * Users as a whole: found, added, imported, locked, deleted. All are of the organization that the call acts in; a user
 * of another one is not found. Parts of a user (a profile, a phone number, a factor) have files named after them.
 */
@ApiController('management/v1')
export class UsersController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly users: UsersStore,
    private readonly importHumanUser: ImportHumanUser,
    private readonly findUser: FindUser,
    private readonly changeUserState: ChangeUserState,
    private readonly deleteUser: DeleteUser,
  ) {}

  @Get('users')
  @Operation({
    summary: 'List users',
    description:
      'Newest first unless `sortingColumn` and `asc` say otherwise, a page after the other. What people look through; `_search` asks for fields by name.',
    permission: 'user.read',
    answer: userListAnswer,
  })
  async list(
    @ActingOrg() orgId: OrgId,
    @Query({ schema: userListQuery }) query: z.output<typeof userListQuery>,
  ) {
    return await this.users.list(orgId, query);
  }

  @Post('users/_search')
  @Operation({
    summary: 'Search users',
    operationId: 'UserList.search',
    description: 'All conditions must hold. Ordered by id.',
    permission: 'user.read',
    answer: listAnswer(userAnswer),
  })
  async search(
    @ActingOrg() orgId: OrgId,
    @Body({ schema: userSearchBody }) { query, queries }: z.output<typeof userSearchBody>,
  ) {
    return await this.users.search(orgId, queries, pageQuery({ query }, queries));
  }

  /** Like `_import`, without a hash: whoever may write users may set a password, but bring none along. */
  @Post('users/human')
  @Operation({
    summary: 'Add a human user',
    operationId: 'UserList.addHuman',
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

  @Post('users/human/_import')
  @Operation({
    summary: 'Import a human user',
    description:
      'With a password in plain text, with one that is hashed already, or with none. A mail is sent when the e-mail ' +
      'address is not verified or there is no password. With `requestPasswordlessRegistration` the answer has a link, ' +
      'good for an hour and once, by which whoever holds it adds a passkey; a verified address gets no mail then.',
    permission: 'user.import',
    answer: importedUserAnswer,
  })
  async importHuman(
    @Call() call: ApiCall,
    @Source() source: string,
    @Body({ schema: importedHumanBody }) record: z.output<typeof importedHumanBody>,
  ): Promise<WireAnswer> {
    return await this.idempotentRequests.answer(call, async () => {
      const asked = { orgId: call.orgId, ...call.acting, record, source };
      const human = await this.importHumanUser.prepare(asked);
      return async (tx) => await this.importHumanUser.store(tx, human);
    });
  }

  @Get('users/:id')
  @Operation({ summary: 'Find a user', permission: 'user.read', answer: foundUserAnswer })
  async find(@ActingOrg() orgId: OrgId, @User() id: UserId) {
    return { user: await this.findUser.find(orgId, id) };
  }

  @Post('users/:id/_deactivate')
  @Operation({
    summary: 'Deactivate a user',
    description: 'Sessions and tokens of the user end at once.',
    permission: write,
    answer: changeAnswer,
  })
  async deactivate(@Call() call: ApiCall, @User() id: UserId): Promise<WireAnswer> {
    return await this.changeState('deactivate', call, id);
  }

  @Post('users/:id/_reactivate')
  @Operation({ summary: 'Reactivate a user', permission: write, answer: changeAnswer })
  async reactivate(@Call() call: ApiCall, @User() id: UserId): Promise<WireAnswer> {
    return await this.changeState('reactivate', call, id);
  }

  @Post('users/:id/_lock')
  @Operation({
    summary: 'Lock a user',
    description: 'Sessions and tokens of the user end at once.',
    permission: write,
    answer: changeAnswer,
  })
  async lock(@Call() call: ApiCall, @User() id: UserId): Promise<WireAnswer> {
    return await this.changeState('lock', call, id);
  }

  @Post('users/:id/_unlock')
  @Operation({
    summary: 'Unlock a user',
    description: 'Also lifts the pause after too many wrong passwords.',
    permission: write,
    answer: changeAnswer,
  })
  async unlock(@Call() call: ApiCall, @User() id: UserId): Promise<WireAnswer> {
    return await this.changeState('unlock', call, id);
  }

  @Delete('users/:id')
  @Operation({
    summary: 'Delete a user',
    operationId: 'UserAccounts.delete',
    description: 'Final: sessions, tokens and authorizations end at once, and the id is never used again.',
    permission: write,
    answer: changeAnswer,
  })
  async delete(@Call() call: ApiCall, @User() id: UserId): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    return await this.change(call, id, (tx, target) => this.deleteUser.execute(tx, target));
  }

  private async changeState(
    change: 'deactivate' | 'reactivate' | 'lock' | 'unlock',
    call: ApiCall,
    id: UserId,
  ): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    return await this.change(call, id, (tx, target) => this.changeUserState[change](tx, target));
  }

  private async change(
    call: ApiCall,
    userId: UserId,
    work: (tx: Tx, target: AccountChange) => Promise<ResourceDetails>,
  ): Promise<WireAnswer> {
    const target = userChange(call, userId);
    return await this.idempotentRequests.change(call, (tx) => work(tx, target));
  }
}
