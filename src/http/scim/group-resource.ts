import { readExternalId } from '../../domain/scim/external-id.js';
import { requireFewMembers, type WantedGroup } from '../../domain/scim/provision-groups.js';
import type { ProvisionedGroup } from '../../domain/scim/provisioning.store.js';
import { ApiError } from '../../domain/shared/errors.js';
import { isId, type UserId } from '../../domain/shared/ids.js';
import { isLongerThan, requireName } from '../../domain/users/names/text-rules.js';
import { ScimError } from '../shared/scim-errors.js';
import { isObject, readResource, readValue, type Value, type Values } from './attributes.js';
import type { Filter } from './filter.js';
import { idOfGroup } from './group-id.js';
import { locationOf } from './location.js';
import { itemsOf, spelledOut, targetOf, type PatchOperation, type Target } from './patch.js';
import { COMMON, GROUP_ATTRIBUTES, GROUP_SCHEMA } from './user-attributes.js';
import { tag } from './user-resource.js';

const LONGEST_NAME = 200;
const KNOWN = [...COMMON, ...GROUP_ATTRIBUTES];

/** As it is answered. @param base of `scimBase` */
export function groupResource(
  shown: {
    readonly group: ProvisionedGroup;
    readonly members: readonly UserId[];
    readonly version: string | undefined;
  },
  base: string,
  projectId: string | null,
): Values {
  const { key, displayName, externalId, details } = shown.group;
  const id = idOfGroup(key, projectId);
  const members = shown.members.map((userId) => ({
    value: userId,
    $ref: locationOf(base, 'Users', userId),
    type: 'User',
  }));
  return {
    schemas: [GROUP_SCHEMA] as unknown as Value,
    id,
    ...(externalId !== null && { externalId }),
    displayName,
    ...(members.length > 0 && { members }),
    meta: {
      resourceType: 'Group',
      created: details.createdAt.toISOString(),
      lastModified: details.changedAt.toISOString(),
      location: locationOf(base, 'Groups', id),
      ...(shown.version !== undefined && { version: tag(shown.version) }),
    },
  };
}

/** A body of POST or PUT. @throws ScimError, ApiError invalid-argument */
export function readGroup(body: unknown): {
  readonly displayName: string;
  readonly externalId: string | null;
  /** Undefined where the body does not speak of them: a directory that renames a group may leave them out. */
  readonly members: ReadonlySet<UserId> | undefined;
} {
  const { displayName, externalId, members } = readResource(KNOWN, body);
  const speaksOfMembers =
    isObject(body) && Object.keys(body).some((name) => name.toLowerCase() === 'members');
  return {
    displayName: readDisplayName(displayName),
    externalId: readExternalId(externalId as string | undefined),
    members: speaksOfMembers ? idsOf(members) : undefined,
  };
}

/** What operations ask of a group; members come and go one by one, however many there are. @throws ScimError */
export function patchedGroup(operations: readonly PatchOperation[]): WantedGroup {
  let wanted: WantedGroup = {};
  let members: Members | undefined;
  for (const { op, path, value, isNamed } of spelledOut(operations)) {
    const target = targetOf(path, KNOWN, GROUP_SCHEMA);
    if (target === undefined) continue;
    const { name, mutability } = target.attribute;
    if (mutability === 'readOnly') {
      if (!isNamed) continue;
      throw new ScimError('mutability', `${name} cannot be written`);
    }
    if (name === 'members') {
      members = changeMembers(members ?? { add: new Set(), remove: new Set() }, op, target, value);
    } else if (name === 'displayName') {
      if (op === 'remove') throw new ScimError('mutability', 'displayName is required');
      wanted = { ...wanted, displayName: readDisplayName(readValue(target.attribute, value)) };
    } else {
      const given = op === 'remove' ? undefined : readValue(target.attribute, value);
      wanted = { ...wanted, externalId: readExternalId(given as string | undefined) };
    }
  }
  return members === undefined ? wanted : { ...wanted, members };
}

/** What the operations so far come to. */
type Members =
  { readonly add: Set<UserId>; readonly remove: Set<UserId> } | { readonly replace: Set<UserId> };

/** Written into the sets as they are: to copy them for every operation would take the square of the request. */
function changeMembers(members: Members, op: PatchOperation['op'], target: Target, value: unknown): Members {
  if (target.sub !== undefined && target.sub.name !== 'value') {
    throw new ScimError('mutability', `members.${target.sub.name} cannot be written`);
  }
  const named = target.filter === undefined ? undefined : namedBy(target.filter);
  // a filter chooses among those who are in it: who is meant to come stands in value
  if (named !== undefined && op !== 'remove') {
    throw new ScimError('noTarget', 'a filter of members is for op remove: others name the path members');
  }
  if (op !== 'remove' && value === undefined) {
    throw new ScimError('invalidValue', `op ${op} of members needs a value`);
  }
  const ids = named ?? idsOf(readValue(target.attribute, value));
  if (op === 'replace') return { replace: new Set(ids) };
  const isAll = named === undefined && (value === undefined || value === null);
  if (op === 'remove' && isAll) return { replace: new Set() };
  if ('replace' in members) moveIds(ids, op === 'add' ? members.replace : undefined, members.replace);
  else if (op === 'add') moveIds(ids, members.add, members.remove);
  else moveIds(ids, members.remove, members.add);
  if ('add' in members) requireFewMembers(members.add.size + members.remove.size);
  return members;
}

function moveIds(ids: ReadonlySet<UserId>, into: Set<UserId> | undefined, from: Set<UserId>): void {
  for (const id of ids) {
    from.delete(id);
    into?.add(id);
  }
}

/** `members[value eq "…"]`, the one filter that directories send, and several of them. */
function namedBy(filter: Filter): ReadonlySet<UserId> {
  if (filter.kind === 'or') return new Set(filter.parts.flatMap((part) => [...namedBy(part)]));
  const isNamed =
    filter.kind === 'compare' && filter.operator === 'eq' && filter.path.toLowerCase() === 'value';
  if (isNamed && typeof filter.value === 'string') return new Set([filter.value as UserId]);
  throw new ScimError('invalidFilter', 'members are chosen by value eq "…"');
}

function idsOf(members: Value | undefined): ReadonlySet<UserId> {
  const ids = itemsOf(members).map(({ value }) => value);
  if (ids.every((id) => typeof id === 'string' && isId(id))) return new Set(ids as UserId[]);
  throw new ScimError('invalidValue', 'each of members must have the id of a user as its value');
}

function readDisplayName(value: Value | undefined): string {
  const name = typeof value === 'string' ? value.trim() : '';
  if (name === '' || isLongerThan(LONGEST_NAME, name)) {
    throw new ApiError('invalid-argument', `displayName must have 1 to ${LONGEST_NAME} characters`);
  }
  requireName('displayName', name);
  return name;
}
