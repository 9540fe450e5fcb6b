// SQL by hand: one statement finds the names of things of many kinds, each in its own table
import type { AggregateType } from '../../../domain/events/event-types.js';
import { columnOf, tableOf } from '../table.js';
import { ApplicationEntity } from '../tables/application.entity.js';
import { IdentityProviderEntity } from '../tables/identity-provider.entity.js';
import { ImportEntity } from '../tables/import.entity.js';
import { InitialAccessTokenEntity } from '../tables/initial-access-token.entity.js';
import { NotificationProviderEntity } from '../tables/notification-provider.entity.js';
import { OrganizationDomainEntity, OrganizationEntity } from '../tables/organization.entity.js';
import { ProjectRoleEntity } from '../tables/project-role.entity.js';
import { ProjectEntity } from '../tables/project.entity.js';
import { ScimTokenEntity } from '../tables/scim-token.entity.js';
import { ServiceUserEntity, UserEntity, UserHumanEntity } from '../tables/user.entity.js';
import { WebhookEntity } from '../tables/webhook.entity.js';

/** SQL: whether a thing belongs to the organization of the event that names it. Events of the instance may name things of any. */
const OWN = (org: string): string => `(asked.org_id IS NULL OR ${org} = asked.org_id)`;

const NO_PROJECT = 'NULL::text';

interface Named<Entity> {
  readonly name: keyof Entity & string;
  /** The property with its organization; none for things that only the instance has. */
  readonly org?: keyof Entity & string;
  /** The property with its project, which the link to its page needs. */
  readonly project?: keyof Entity & string;
}

/** A thing that has its name and its id in its own row. */
function byId<Entity extends { id: string }>(
  kind: AggregateType,
  entity: abstract new () => Entity,
  { name, org, project }: Named<Entity>,
  only = 'true',
): string {
  const own = org === undefined ? 'asked.org_id IS NULL' : OWN(`t.${columnOf(entity, org)}`);
  const projectId = project === undefined ? NO_PROJECT : `t.${columnOf(entity, project)}`;
  return `SELECT t.${columnOf(entity, name)} AS name, ${projectId} AS project_id FROM ${tableOf(entity)} t
    WHERE asked.kind = '${kind}' AND t.${columnOf(entity, 'id')} = asked.id AND ${own} AND ${only}`;
}

/** Part of an id of two parts, the first of which has no blank (`given-id.ts`). */
const OWNER_PART = "split_part(asked.id, ' ', 1)";
const REST_PART = "substr(asked.id, strpos(asked.id, ' ') + 1)";

const IN_ORG = { name: 'name', org: 'orgId' } as const;

// each SELECT runs only for things of its kind: the planner checks the kind before it reads the table
const PIECES: readonly string[] = [
  byId('application', ApplicationEntity, { ...IN_ORG, project: 'projectId' }),
  byId('identity_provider', IdentityProviderEntity, IN_ORG),
  byId('import', ImportEntity, { name: 'fileName', org: 'orgId' }),
  byId('initial_access_token', InitialAccessTokenEntity, IN_ORG),
  byId('notification_provider', NotificationProviderEntity, { name: 'name' }),
  byId('notification_provider_health', NotificationProviderEntity, { name: 'name' }),
  byId('organization', OrganizationEntity, { name: 'name', org: 'id' }, "t.state <> 'removed'"),
  byId('project', ProjectEntity, IN_ORG),
  byId('scim_token', ScimTokenEntity, IN_ORG),
  byId('webhook', WebhookEntity, IN_ORG),
  `SELECT d.domain, ${NO_PROJECT} FROM ${tableOf(OrganizationDomainEntity)} d
    WHERE asked.kind = 'organization_domain' AND d.org_id = ${OWNER_PART} AND d.domain = ${REST_PART}
      AND ${OWN('d.org_id')}`,
  `SELECT coalesce(nullif(r.display_name, ''), r.key), ${NO_PROJECT} FROM ${tableOf(ProjectRoleEntity)} r
    WHERE asked.kind = 'project_role' AND r.project_id = ${OWNER_PART} AND r.key = ${REST_PART}
      AND ${OWN('r.org_id')}`,
  `SELECT coalesce(h.display_name, s.name, u.user_name), ${NO_PROJECT} FROM ${tableOf(UserEntity)} u
    LEFT JOIN ${tableOf(UserHumanEntity)} h ON h.user_id = u.id
    LEFT JOIN ${tableOf(ServiceUserEntity)} s ON s.user_id = u.id
    WHERE asked.kind = 'user' AND u.id = asked.id AND ${OWN('u.org_id')} AND u.state <> 'deleted'`,
];

/** The names of all that a page of events names: kinds, ids and the organizations of the events, by place. */
export const FIND_EVENT_NAMES = {
  name: 'event-log-names',
  text: `
    SELECT asked.place::integer - 1 AS place, found.name, found.project_id AS "projectId"
    FROM ROWS FROM (unnest($1::text[]), unnest($2::text[]), unnest($3::text[])) WITH ORDINALITY
      AS asked (kind, id, org_id, place)
    CROSS JOIN LATERAL (${PIECES.join('\n    UNION ALL ')}) found
    WHERE found.name IS NOT NULL`,
};
