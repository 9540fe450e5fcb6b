import { answered, api } from '../api/client.ts';

const MOST = 20;

/** Organizations with these letters in their names, for those who may look at the instance. */
export async function searchOrganizations(name: string) {
  const queries =
    name === '' ? [] : [{ nameQuery: { name, method: 'TEXT_QUERY_METHOD_CONTAINS_IGNORE_CASE' as const } }];
  const body = { query: { limit: MOST, asc: true }, queries };
  return (await answered(api.POST('/admin/v1/orgs/_search', { body }))).result ?? [];
}
