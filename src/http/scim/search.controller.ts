import { Post } from '@nestjs/common';
import { ScimError } from '../shared/scim-errors.js';
import { GroupCalls } from './group-calls.js';
import { readListQuery } from './list-query.js';
import { listResponse } from './list-response.js';
import { Call, type ScimAnswer, type ScimCall } from './scim-call.js';
import { ScimController } from './scim-controller.js';
import { UserCalls } from './user-calls.js';

interface Listed {
  readonly totalResults: number;
  readonly Resources: readonly object[];
}

/** RFC 7644 §3.4.3, of all types: users first, then groups. */
@ScimController('/.search')
export class ScimSearchController {
  constructor(
    private readonly users: UserCalls,
    private readonly groups: GroupCalls,
  ) {}

  @Post()
  async search(@Call() call: ScimCall): Promise<ScimAnswer> {
    const { startIndex, page } = readListQuery(call.body);
    const users = await listed(() => this.users.list({ ...call, query: call.body }));
    const left = page.limit - (users?.Resources.length ?? 0);
    const from = Math.max(1, startIndex - (users?.totalResults ?? 0));
    const rest = { ...(call.body as object), startIndex: from, count: left };
    const groups = await listed(() => this.groups.list({ ...call, query: rest }), users === undefined);
    const found = [users, groups].filter((one) => one !== undefined);
    const resources = found.flatMap((one) => one.Resources);
    const total = found.reduce((sum, one) => sum + one.totalResults, 0);
    return { status: 200, body: listResponse(resources, total, startIndex) };
  }
}

/** A type that cannot be looked for by the filter has none that meets it; where no type can, the filter is refused. */
async function listed(list: () => Promise<ScimAnswer>, isLast = false): Promise<Listed | undefined> {
  try {
    return (await list()).body as Listed;
  } catch (error) {
    if (isLast || !(error instanceof ScimError) || error.scimType !== 'invalidFilter') throw error;
    return undefined;
  }
}
