import { readExternalId } from '../../domain/scim/external-id.js';
import type { MemberChange, WantedGroup } from '../../domain/scim/provision-groups.js';
import type { ProvisionedGroup } from '../../domain/scim/provisioned-groups.store.js';
import { ApiError } from '../../domain/shared/errors.js';
import type { UserId } from '../../domain/shared/ids.js';
import { isLongerThan, requireName } from '../../domain/users/text-rules.js';
import { ScimError } from '../shared/scim-errors.js';
import { readResource, readValue, type Value, type Values } from './attributes.js';
import type { Filter } from './filter.js';
import { idOfGroup } from './group-id.js';
import { itemsOf, spelledOut, targetOf, type PatchOperation, type Target } from './patch.js';
import { COMMON, GROUP_ATTRIBUTES, GROUP_SCHEMA } from './user-attributes.js';
import { tag } from './user-resource.js';

const LONGEST_NAME = 200;
const KNOWN = [...COMMON, ...GROUP_ATTRIBUTES];

/** As it is answered. @param base `…/scim/v2/{orgId}` */
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
    $ref: `${base}/Users/${userId}`,
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
      location: `${base}/Groups/${id}`,
      ...(shown.version !== undefined && { version: tag(shown.version) }),
    },
  };
}

/** A body of POST or PUT. @throws ScimError, ApiError invalid-argument */
export function readGroup(body: unknown): {
  readonly displayName: string;
  readonly externalId: string | null;
  readonly members: ReadonlySet<UserId>;
} {
  const { displayName, externalId, members } = readResource(KNOWN, body);
  return {
    displayName: readDisplayName(displayName),
    externalId: readExternalId(externalId as string | undefined),
    members: idsOf(members),
  };
}

/** What operations ask of a group; members come and go one by one, however many there are. @throws ScimError */
export function patchedGroup(operations: readonly PatchOperation[]): WantedGroup {
  let wanted: WantedGroup = {};
  for (const operation of operations) {
    for (const { op, path, value } of spelledOut(operation)) {
      const target = targetOf(path, KNOWN, GROUP_SCHEMA);
      if (target === undefined) continue;
      const { name, mutability } = target.attribute;
      if (mutability === 'readOnly') {
        if (operation.path === undefined) continue;
        throw new ScimError('mutability', `${name} cannot be written`);
      }
      if (name === 'members') {
        wanted = { ...wanted, members: memberChange(wanted.members, op, target, value) };
      } else if (name === 'displayName') {
        if (op === 'remove') throw new ScimError('mutability', 'displayName is required');
        wanted = { ...wanted, displayName: readDisplayName(readValue(target.attribute, value)) };
      } else {
        const given = op === 'remove' ? undefined : readValue(target.attribute, value);
        wanted = { ...wanted, externalId: readExternalId(given as string | undefined) };
      }
    }
  }
  return wanted;
}

function memberChange(
  before: MemberChange = { add: new Set(), remove: new Set() },
  op: PatchOperation['op'],
  target: Target,
  value: unknown,
): MemberChange {
  if (target.sub !== undefined && target.sub.name !== 'value') {
    throw new ScimError('mutability', `members.${target.sub.name} cannot be written`);
  }
  const named = target.filter === undefined ? undefined : namedBy(target.filter);
  const ids = named ?? idsOf(readValue(target.attribute, value));
  if (op === 'replace' && named === undefined) return { replace: ids };
  if (op !== 'remove') return joined(before, ids, new Set());
  const isAll = named === undefined && (value === undefined || value === null);
  return isAll ? { replace: new Set() } : joined(before, new Set(), ids);
}

function joined(before: MemberChange, add: ReadonlySet<UserId>, remove: ReadonlySet<UserId>): MemberChange {
  const less = (ids: ReadonlySet<UserId>, gone: ReadonlySet<UserId>) =>
    [...ids].filter((id) => !gone.has(id));
  if ('replace' in before) return { replace: new Set([...less(before.replace, remove), ...add]) };
  return {
    add: new Set([...less(before.add, remove), ...add]),
    remove: new Set([...less(before.remove, add), ...remove]),
  };
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
  if (ids.every((id) => typeof id === 'string' && /^[!-~]{1,200}$/.test(id))) return new Set(ids as UserId[]);
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
