import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { groupNotFound, ProvisionGroups } from '../../domain/scim/provision-groups.js';
import type { ProvisionedGroup } from '../../domain/scim/provisioned-groups.store.js';
import type { ScimToken } from '../../domain/scim/scim-tokens.store.js';
import type { UserId } from '../../domain/shared/ids.js';
import type { Values } from './attributes.js';
import { idOfGroup, keyOfGroup } from './group-id.js';
import { groupResource, patchedGroup, readGroup } from './group-resource.js';
import { groupFilter, readListQuery, readProjection, type Projection } from './list-query.js';
import { listResponse } from './list-response.js';
import { readPatch } from './patch.js';
import { projected } from './project-resource.js';
import type { ScimAnswer, ScimCall } from './scim-call.js';
import { GROUP_ATTRIBUTES, GROUP_SCHEMA } from './user-attributes.js';
import { tag } from './user-resource.js';

/** What a directory does with groups, which are roles of the project that its token names. */
@Injectable()
export class GroupCalls {
  constructor(
    private readonly groups: ProvisionGroups,
    private readonly config: Config,
  ) {}

  async list({ token, query }: ScimCall): Promise<ScimAnswer> {
    const asked = readListQuery(query);
    const filter = groupFilter(asked.filter, GROUP_SCHEMA, token.projectId);
    const { items, total } = await this.groups.search(token, filter, asked.page);
    const shown: Values[] = [];
    for (const group of items) shown.push(await this.shown(token, group, asked));
    return { status: 200, body: listResponse(shown, total, asked.startIndex) };
  }

  async find(call: ScimCall, id: string): Promise<ScimAnswer> {
    const { group, version } = await this.groups.find(call.token, keyOf(call.token, id));
    if (call.ifNoneMatch?.includes(version) === true) return { status: 304, etag: tag(version) };
    return await this.answer(call, group, version);
  }

  async create(call: ScimCall): Promise<ScimAnswer> {
    const { displayName, externalId, members } = readGroup(call.body);
    const key = await this.groups.create(call.token, { displayName, externalId, members });
    const { group, version } = await this.groups.find(call.token, key);
    return { ...(await this.answer(call, group, version)), status: 201 };
  }

  async replace(call: ScimCall, id: string): Promise<ScimAnswer> {
    const { members, ...named } = readGroup(call.body);
    const key = keyOf(call.token, id);
    await this.groups.change(call.token, key, call.ifMatch, { ...named, members: { replace: members } });
    const { group, version } = await this.groups.find(call.token, key);
    return await this.answer(call, group, version);
  }

  /** 204, unless attributes are asked for: a group can be large (RFC 7644 §3.5.2). */
  async patch(call: ScimCall, id: string): Promise<ScimAnswer> {
    const wanted = patchedGroup(readPatch(call.body));
    const key = keyOf(call.token, id);
    await this.groups.change(call.token, key, call.ifMatch, wanted);
    const { group, version } = await this.groups.find(call.token, key);
    if (readProjection(call.query).attributes === undefined) return { status: 204, etag: tag(version) };
    return await this.answer(call, group, version);
  }

  async delete({ token, ifMatch }: ScimCall, id: string): Promise<ScimAnswer> {
    await this.groups.delete(token, keyOf(token, id), ifMatch);
    return { status: 204 };
  }

  private async answer(
    { token, query }: ScimCall,
    group: ProvisionedGroup,
    version: string,
  ): Promise<ScimAnswer> {
    const body = await this.shown(token, group, readProjection(query), version);
    const id = idOfGroup(group.key, token.projectId);
    return { status: 200, body, location: `${this.base(token)}/Groups/${id}`, etag: tag(version) };
  }

  /** Members are read only where they are asked for: a directory that looks for a group leaves them out. */
  private async shown(
    token: ScimToken,
    group: ProvisionedGroup,
    projection: Projection,
    version?: string,
  ): Promise<Values> {
    const { attributes, excluded } = projection;
    const isAsked = (name: string): boolean =>
      name === 'members' || name.startsWith('members.') || name.includes(':');
    const hasMembers = (attributes?.some(isAsked) ?? true) && !excluded.includes('members');
    const members: readonly UserId[] = hasMembers ? await this.groups.membersOf(token, group.key) : [];
    const resource = groupResource({ group, members, version }, this.base(token), token.projectId);
    return projected(resource, projection, GROUP_SCHEMA, GROUP_ATTRIBUTES);
  }

  private base({ orgId }: ScimToken): string {
    return `${this.config.app.issuer.url}/scim/v2/${orgId}`;
  }
}

function keyOf({ projectId }: ScimToken, id: string): string {
  const key = keyOfGroup(id, projectId);
  if (key === undefined) throw groupNotFound();
  return key;
}
