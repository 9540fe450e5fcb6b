import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { groupNotFound, ProvisionGroups } from '../../domain/scim/provision-groups.js';
import type { ProvisionedGroup } from '../../domain/scim/provisioning.store.js';
import type { ScimToken } from '../../domain/scim/scim-tokens.store.js';
import type { UserId } from '../../domain/shared/ids.js';
import { ScimError } from '../shared/scim-errors.js';
import type { Values } from './attributes.js';
import { idOfGroup, keyOfGroup } from './group-id.js';
import { groupResource, patchedGroup, readGroup } from './group-resource.js';
import { groupFilter, readListQuery, readProjection, type Projection } from './list-query.js';
import { listResponse } from './list-response.js';
import { locationOf, scimBase } from './location.js';
import { readPatch } from './patch.js';
import { projected } from './project-resource.js';
import type { ScimAnswer, ScimCall } from './scim-call.js';
import { GROUP_ATTRIBUTES, GROUP_SCHEMA } from './user-attributes.js';
import { tag } from './user-resource.js';

/** An answer about one group has so many members at most, and a list so many in all of its groups together. */
const MOST_MEMBERS = { one: 100_000, list: 20_000 };

/** What a directory does with groups, which are roles of the project that its token names. */
@Injectable()
export class GroupCalls {
  constructor(
    private readonly groups: ProvisionGroups,
    private readonly config: Config,
  ) {}

  async list({ token, query }: ScimCall): Promise<ScimAnswer> {
    const asked = readListQuery(query);
    const projection = readProjection(query, GROUP_SCHEMA);
    const filter = groupFilter(asked.filter, GROUP_SCHEMA, token.projectId);
    const { items, total } = await this.groups.search(token, filter, asked.page);
    const shown: Values[] = [];
    let left = MOST_MEMBERS.list;
    for (const group of items) {
      const members = await this.members(token, group, projection, left);
      if (members === undefined) throw tooManyMembers();
      left -= members.length;
      shown.push(this.shown(token, { group, members, version: undefined }, projection));
    }
    return { status: 200, body: listResponse(shown, total, asked.startIndex) };
  }

  async find(call: ScimCall, id: string): Promise<ScimAnswer> {
    const projection = readProjection(call.query, GROUP_SCHEMA);
    const { group, version } = await this.groups.find(call.token, keyOf(call.token, id));
    if (call.ifNoneMatch?.includes(version) === true) return { status: 304, etag: tag(version) };
    const answer = await this.answer(call, group, version, projection);
    if (answer.body === undefined) throw tooManyMembers();
    return answer;
  }

  async create(call: ScimCall): Promise<ScimAnswer> {
    const projection = readProjection(call.query, GROUP_SCHEMA);
    const { displayName, externalId, members = new Set<UserId>() } = readGroup(call.body);
    const key = await this.groups.create(call.token, { displayName, externalId, members });
    const { group, version } = await this.groups.find(call.token, key);
    return { ...(await this.answer(call, group, version, projection)), status: 201 };
  }

  /** What it does not name is emptied; but members stay: nobody means to take a role from everybody by saying nothing. */
  async replace(call: ScimCall, id: string): Promise<ScimAnswer> {
    const projection = readProjection(call.query, GROUP_SCHEMA);
    const { members, ...named } = readGroup(call.body);
    const key = keyOf(call.token, id);
    const wanted = { ...named, ...(members !== undefined && { members: { replace: members } }) };
    await this.groups.change(call.token, key, call.ifMatch, wanted);
    const { group, version } = await this.groups.find(call.token, key);
    return await this.answer(call, group, version, projection);
  }

  /** 204, unless attributes are asked for: a group can be large (RFC 7644 §3.5.2). */
  async patch(call: ScimCall, id: string): Promise<ScimAnswer> {
    const projection = readProjection(call.query, GROUP_SCHEMA);
    const wanted = patchedGroup(readPatch(call.body));
    const key = keyOf(call.token, id);
    await this.groups.change(call.token, key, call.ifMatch, wanted);
    const { group, version } = await this.groups.find(call.token, key);
    if (projection.attributes === undefined) return { status: 204, etag: tag(version) };
    return await this.answer(call, group, version, projection);
  }

  async delete({ token, ifMatch }: ScimCall, id: string): Promise<ScimAnswer> {
    await this.groups.delete(token, keyOf(token, id), ifMatch);
    return { status: 204 };
  }

  /** Without a body for a group that is too large for one: what was changed is not refused afterwards. */
  private async answer(
    { token }: ScimCall,
    group: ProvisionedGroup,
    version: string,
    projection: Projection,
  ): Promise<ScimAnswer> {
    const members = await this.members(token, group, projection, MOST_MEMBERS.one);
    const location = locationOf(this.base(token), 'Groups', idOfGroup(group.key, token.projectId));
    if (members === undefined) return { status: 204, location, etag: tag(version) };
    const body = this.shown(token, { group, members, version }, projection);
    return { status: 200, body, location, etag: tag(version) };
  }

  /**
   * Read only where they are asked for: a directory that looks for a group leaves them out.
   *
   * @returns undefined for more than so many
   */
  private async members(
    token: ScimToken,
    { key }: ProvisionedGroup,
    { attributes, parts, excluded }: Projection,
    most: number,
  ): Promise<readonly UserId[] | undefined> {
    const isAsked = attributes === undefined || attributes.has('members') || parts.has('members');
    if (!isAsked || excluded.has('members')) return [];
    const members = await this.groups.membersOf(token, key, most + 1);
    return members.length > most ? undefined : members;
  }

  private shown(
    token: ScimToken,
    group: Parameters<typeof groupResource>[0],
    projection: Projection,
  ): Values {
    const resource = groupResource(group, this.base(token), token.projectId);
    return projected(resource, projection, GROUP_ATTRIBUTES);
  }

  private base({ orgId }: ScimToken): string {
    return scimBase(this.config.app.issuer, orgId);
  }
}

function tooManyMembers(): ScimError {
  const text = 'there are too many members for one answer: ask with excludedAttributes=members';
  return new ScimError('tooMany', text);
}

function keyOf({ projectId }: ScimToken, id: string): string {
  const key = keyOfGroup(id, projectId);
  if (key === undefined) throw groupNotFound();
  return key;
}
