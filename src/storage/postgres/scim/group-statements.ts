// SQL by hand: filters with OR and NOT, and a version (ETag) computed from all members of a group
import type { GroupCondition } from '../../../domain/scim/provisioning.store.js';
import type { AnyOf, Term } from '../../../domain/users/user-filter.js';
import type { Statement } from '../statement.js';
import { columns, COUNTED_BY } from '../table.js';
import { ProjectRoleEntity } from '../tables/project-role.entity.js';

export const ROLE = ['key', 'displayName', 'group'] as const;
const GROUPS = `
    FROM project_roles r
    LEFT JOIN provisioned_groups p ON p.project_id = r.project_id AND p.role_key = r.key
    WHERE r.org_id = $1 AND r.project_id = $2`;
const SELECTED = `SELECT ${columns(ProjectRoleEntity, 'r', [...ROLE, ...COUNTED_BY])}, p.external_id AS "externalId"`;
export const FIND_GROUP = { name: 'provisioned-groups-find', text: `${SELECTED} ${GROUPS} AND r.key = $3` };
/** One condition each, on a parameter. The groups of a member are read once, not for each group. */
const CONDITIONS: Readonly<Record<GroupCondition['field'], (parameter: string) => string>> = {
  key: (key) => `r.key = ${key}::text`,
  displayName: (name) => `lower(r.display_name) = lower(${name}::text)`,
  externalId: (id) => `p.external_id = ${id}::text`,
  member: (userId) => `r.key = ANY (ARRAY(
        SELECT h.role_key FROM role_assignments g JOIN role_assignment_roles h ON h.role_assignment_id = g.id
        WHERE g.user_id = ${userId}::text AND g.project_id = $2 AND g.org_id = $1))`,
};

/**
 * The page of a search, and how many there are. Each search has a statement of its own shape, which is not prepared: however
 * many conditions there are, the roles of the project are read once at most.
 */
export function searchGroups(filter: AnyOf<GroupCondition>): {
  readonly found: Statement;
  readonly count: Statement;
  readonly wanted: readonly string[];
} {
  const wanted: string[] = [];
  const termOf = ({ condition: { field, value }, negated }: Term<GroupCondition>): string => {
    const text = CONDITIONS[field](`$${wanted.push(value) + 2}`);
    return negated ? `(${text}) IS NOT TRUE` : text;
  };
  const alternatives = filter.map((terms) => `(${['true', ...terms.map(termOf)].join(' AND ')})`);
  const where = `${GROUPS} AND (${alternatives.join(' OR ') || 'false'})`;
  const [from, most] = [`$${wanted.length + 3}`, `$${wanted.length + 4}`];
  return {
    found: { name: '', text: `${SELECTED} ${where} ORDER BY r.key OFFSET ${from} LIMIT ${most}` },
    count: { name: '', text: `SELECT count(*)::integer AS total ${where}` },
    wanted,
  };
}

const HOLDERS = `
    FROM role_assignment_roles h JOIN role_assignments g ON g.id = h.role_assignment_id AND g.org_id = $1
    WHERE h.project_id = $2 AND h.role_key = $3`;
// sorted last: a limit on what is sorted would make the planner walk through all people by their ids
export const GROUP_MEMBERS = {
  name: 'provisioned-groups-members',
  text: `
    SELECT "userId" FROM (
      SELECT m."userId"
      FROM (SELECT g.user_id AS "userId" ${HOLDERS}) m JOIN user_humans u ON u.user_id = m."userId"
      LIMIT $4::bigint
    ) people
    ORDER BY "userId"`,
};
/**
 * Changes whenever the role or one of its members changes: it contains their ids, which are never used again, and their sequences, which
 * each change raises. Times would not do, since a later commit can have an earlier time. The sum does not depend on the order of rows.
 */
export const GROUP_VERSION = {
  name: 'provisioned-groups-version',
  text: `
    SELECT r.sequence || '.' || to_hex(hashtextextended(
      extract(epoch FROM r.created_at) || ' ' || m.members || ' ' || m.states, 0)) AS version
    FROM project_roles r, LATERAL (
      SELECT count(*) AS members, coalesce(sum(hashtextextended(g.id || ' ' || g.sequence, 0)), 0) AS states
      ${HOLDERS}
    ) m
    WHERE r.org_id = $1 AND r.project_id = $2 AND r.key = $3`,
};
