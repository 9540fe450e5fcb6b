// SQL by hand: a condition of the statements that assign an audience or check a token
/** Who wants a project as audience; every value is SQL. */
interface Asker {
  /** Alias of the row of `projects`. */
  readonly project: string;
  /** The organization that the application, or the service user, belongs to. */
  readonly orgId: string;
  /** When the authorization or token was issued: later project grants do not count for it. */
  readonly since?: string;
}

/**
 * SQL: whether an application or a service user may have a project in its audience: those of its own organization, and those granted to
 * that organization by an active one, while the project grant is active. Access to the service's own project is checked elsewhere.
 *
 * Every statement that assigns an audience or checks a token contains this condition, so that removing or deactivating a project grant
 * takes effect with its commit, also for tokens issued at the same moment. Never null.
 */
export function mayNameProject({ project, orgId, since }: Asker): string {
  // a scalar subquery, because an EXISTS behind an OR may be planned as a scan of the whole table
  return `(${project}.org_id = ${orgId} OR ${project}.id = (SELECT api_project_id FROM instance)
    OR (SELECT true FROM project_grants pg JOIN organizations po ON po.id = pg.org_id AND po.state = 'active'
        WHERE pg.project_id = ${project}.id AND pg.granted_org_id = ${orgId} AND pg.state = 'active'${
          since === undefined ? '' : ` AND pg.created_at <= ${since}`
        })) IS TRUE`;
}

/**
 * SQL: an audience without the projects that may no longer be in it, and without their clients, which a token exchange may have named.
 * Other values are left as they are.
 */
export function remainingAudience(audience: string, { orgId, since }: Omit<Asker, 'project'>): string {
  const lost = `NOT ${mayNameProject({ project: 'lp', orgId, ...(since === undefined ? {} : { since }) })}`;
  return `array(
    SELECT named.id FROM unnest(${audience}) WITH ORDINALITY AS named (id, place)
    WHERE NOT EXISTS (SELECT FROM projects lp WHERE lp.id = named.id AND ${lost})
      AND NOT EXISTS (SELECT FROM applications la JOIN projects lp ON lp.id = la.project_id
                      WHERE la.client_id = named.id AND ${lost})
    ORDER BY named.place)`;
}
