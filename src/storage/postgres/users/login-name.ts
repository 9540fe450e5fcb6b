/** SQL: the full login name of a user, `userName@<primary domain>`. */
export function loginName(userName = 'u.user_name', domain = 'd.domain'): string {
  return `${userName} || coalesce('@' || ${domain}, '')`;
}

/** SQL: joins the primary domain of an organization. @param orgId the column with its id */
export function primaryDomainJoin(orgId: string, alias = 'd'): string {
  return `LEFT JOIN organization_domains ${alias} ON ${alias}.org_id = ${orgId} AND ${alias}.is_primary`;
}
