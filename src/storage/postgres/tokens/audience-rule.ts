// SQL by hand: a condition of the statements that assign an audience or check a token
/** What asks for a project's name: every expression is SQL. */
interface Asker {
  /** Alias of the row of `projects`. */
  readonly project: string;
  /** The organization that the application, or the service user, belongs to. */
  readonly orgId: string;
  /** When the grant or token was made: it rests on no project grant that is younger. */
  readonly since?: string;
}

/**
 * Which projects an application or a service user may have in its audience: those of its own organization, and those
 * granted to that organization by one that is active, while the grant is. The service's own project is decided elsewhere.
 *
 * Every statement that gives an audience or looks at a token asks by this, so that a grant that is removed, or put to rest, ends what
 * rested on it with its commit, whatever was given out at the same moment. Never null.
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
 * An audience that was given once, without what may not be in it any more: projects, and clients of them, that an
 * exchange may have named. What is neither is left as it is.
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
