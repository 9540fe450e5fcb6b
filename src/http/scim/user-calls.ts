import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { ChangeProvisionedUser } from '../../domain/scim/change-provisioned-user.js';
import { CreateProvisionedUser } from '../../domain/scim/create-provisioned-user.js';
import { DeleteProvisionedUser } from '../../domain/scim/delete-provisioned-user.js';
import { FindProvisionedUsers } from '../../domain/scim/find-provisioned-users.js';
import type { ProvisionedUser, WantedChange } from '../../domain/scim/provisioned-user.js';
import type { ScimToken } from '../../domain/scim/scim-tokens.store.js';
import { isId, type UserId } from '../../domain/shared/ids.js';
import { userNotFound } from '../../domain/users/find-user.js';
import type { Values } from './attributes.js';
import { idOfGroup } from './group-id.js';
import { readListQuery, readProjection, userFilters, type Projection } from './list-query.js';
import { listResponse } from './list-response.js';
import { locationOf, scimBase } from './location.js';
import { patched, readPatch, targetOf, type PatchOperation } from './patch.js';
import { projected } from './project-resource.js';
import type { ScimAnswer, ScimCall } from './scim-call.js';
import { COMMON, USER_ATTRIBUTES, USER_SCHEMA } from './user-attributes.js';
import { readUser, tag, userResource, wantedUser, written } from './user-resource.js';

const KNOWN = [...COMMON, ...USER_ATTRIBUTES];

/** What a directory does with users (RFC 7644 §3.2), by itself or within a bulk request. */
@Injectable()
export class UserCalls {
  constructor(
    private readonly users: FindProvisionedUsers,
    private readonly createUser: CreateProvisionedUser,
    private readonly changeUser: ChangeProvisionedUser,
    private readonly deleteUser: DeleteProvisionedUser,
    private readonly config: Config,
  ) {}

  async list({ token, query }: ScimCall): Promise<ScimAnswer> {
    const asked = readListQuery(query);
    const projection = readProjection(query, USER_SCHEMA);
    const { items, total } = await this.users.search(
      token,
      userFilters(asked.filter, USER_SCHEMA),
      asked.page,
    );
    const shown = items.map((seen) => projected(this.resource(token, seen), projection, USER_ATTRIBUTES));
    return { status: 200, body: listResponse(shown, total, asked.startIndex) };
  }

  async find(call: ScimCall, id: string): Promise<ScimAnswer> {
    const projection = readProjection(call.query, USER_SCHEMA);
    const seen = await this.users.find(call.token, userId(id));
    if (call.ifNoneMatch?.includes(seen.user.details.sequence) === true) {
      return { status: 304, etag: tag(seen.user.details.sequence) };
    }
    return this.answer(call, seen, projection);
  }

  async create(call: ScimCall): Promise<ScimAnswer> {
    const projection = readProjection(call.query, USER_SCHEMA);
    const created = await this.createUser.execute(call.token, wantedUser(readUser(call.body)), call.source);
    return { ...this.answer(call, created, projection), status: 201 };
  }

  /** What it does not name is emptied; but an address and whether the user is active stay. */
  async replace(call: ScimCall, id: string): Promise<ScimAnswer> {
    const resource = readUser(call.body);
    return await this.change(call, id, (now) => wantedUser(resource, now));
  }

  async patch(call: ScimCall, id: string): Promise<ScimAnswer> {
    const operations = readPatch(call.body);
    return await this.change(call, id, (now) =>
      wantedUser(patched(written(now), operations, KNOWN, USER_SCHEMA), now, removesPhone(operations)),
    );
  }

  async delete({ token, ifMatch }: ScimCall, id: string): Promise<ScimAnswer> {
    await this.deleteUser.execute(token, userId(id), ifMatch);
    return { status: 204 };
  }

  private async change(call: ScimCall, id: string, wantedOf: WantedChange): Promise<ScimAnswer> {
    const { token, ifMatch, source } = call;
    const projection = readProjection(call.query, USER_SCHEMA);
    const changed = await this.changeUser.execute(token, userId(id), ifMatch, wantedOf, source);
    return this.answer(call, changed, projection);
  }

  private answer({ token }: ScimCall, seen: ProvisionedUser, projection: Projection): ScimAnswer {
    const body = projected(this.resource(token, seen), projection, USER_ATTRIBUTES);
    const { id, details } = seen.user;
    return {
      status: 200,
      body,
      location: locationOf(this.base(token), 'Users', id),
      etag: tag(details.sequence),
    };
  }

  private resource(token: ScimToken, seen: ProvisionedUser): Values {
    return userResource(seen, this.base(token), (key) => idOfGroup(key, token.projectId));
  }

  private base({ orgId }: ScimToken): string {
    return scimBase(this.config.app.issuer, orgId);
  }
}

/** Only a PATCH says that something goes: a PUT without a number may come from a directory that does not keep any. */
function removesPhone(operations: readonly PatchOperation[]): boolean {
  return operations.some(
    ({ op, path }) =>
      op === 'remove' && targetOf(path ?? '', KNOWN, USER_SCHEMA)?.attribute.name === 'phoneNumbers',
  );
}

/** What no id can look like never reaches the database. */
function userId(id: string): UserId {
  if (!isId(id)) throw userNotFound();
  return id as UserId;
}
