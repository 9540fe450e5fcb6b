// SQL by hand: lists of users in which very many have the same name; each statement has a form that one index serves
import { afterUser, ordered, orderOf } from './user-order.js';
import { isListed, statement, walked, type ListStatement, type UserListSearch } from './user-walk.js';

// An index has people in the order of a name, and not those of one name in the order of their ids: these are sorted, all of them for
// each page. Where so many have one name, no first or no last one for instance, one meets them soon by going through the ids.

/** So many are not sorted. Of a million people it takes a hundred to meet one of them. */
const CROWD = 10_000;
/** So many ids are gone through at most, as they may not lie evenly. */
const FAR = 20_000;
/** So many are looked at for those of a state before these are looked for. */
const NEAR = 1000;

/** The name that ends the next page at the latest, where it is that of a crowd. */
export function crowdStatement(search: UserListSearch, page: number): ListStatement {
  return statement(search.orgId, (parameter) => {
    const { key } = orderOf(search);
    const { ascending = false, after } = search;
    const [next, last] = ascending ? ['~<~', '~>~'] : ['~>~', '~<~'];
    const from =
      after === undefined ? '' : `AND ${key} ${ascending ? '~>=~' : '~<=~'} ${parameter(after.key)}::text`;
    return `
      SELECT last.key FROM (
        SELECT key FROM (SELECT ${key} AS key FROM user_humans o WHERE o.org_id = $1 ${from} ORDER BY ${key} USING ${next} LIMIT ${page}) AS ahead
        ORDER BY key USING ${last} LIMIT 1) AS last
      WHERE (SELECT count(*) FROM (SELECT FROM user_humans o WHERE o.org_id = $1 AND ${key} = last.key LIMIT ${CROWD}) AS alike) = ${CROWD}`;
  });
}

/** Whoever comes before a crowd, and then its first by their ids. Fewer than a page where the crowd is at its end, or lies far apart. */
export function throughCrowdStatement(search: UserListSearch, name: string, page: number): ListStatement {
  return statement(search.orgId, (parameter) => {
    const { key } = orderOf(search);
    const { ascending = false, after } = search;
    const [direction, isPast, comesBefore] = ascending ? ['ASC', '>', '~<~'] : ['DESC', '<', '~>~'];
    const value = `${parameter(name)}::text`;
    const place = after?.key === name ? `AND n.id ${isPast} ${parameter(after.id)}::text` : '';
    return `
      SELECT id FROM (
        SELECT id, key FROM (${walked(search, parameter, page, `AND ${key} ${comesBefore} ${value}`)}) AS others
        UNION ALL
        SELECT id, key FROM (
          SELECT u.id, o.key FROM (
            SELECT n.* FROM users n WHERE n.org_id = $1 AND n.state <> 'deleted' ${place} ORDER BY n.id ${direction} LIMIT ${FAR}) AS u
          CROSS JOIN LATERAL (SELECT ${key} AS key FROM user_humans o WHERE o.user_id = u.id OFFSET 0) AS o
          WHERE o.key = ${value} AND ${isListed(search, parameter)} ORDER BY u.id ${direction} LIMIT ${page}) AS crowd
      ) AS found ORDER BY ${ordered(search)} LIMIT ${page}`;
  });
}

/** Those of a state among the next people. */
export function nearStatement(search: UserListSearch, page: number): ListStatement {
  return statement(search.orgId, (parameter) => {
    const own = { id: 'o.user_id', key: orderOf(search).key };
    const after = search.after === undefined ? '' : `AND ${afterUser(search, own, parameter)}`;
    return `
      SELECT u.id FROM (
        SELECT o.user_id AS id, ${own.key} AS key FROM user_humans o WHERE o.org_id = $1 ${after} ORDER BY ${ordered(search, own)} LIMIT ${NEAR}) AS o
      CROSS JOIN LATERAL (SELECT n.* FROM users n WHERE n.id = o.id OFFSET 0) AS u
      WHERE ${isListed(search, parameter)} ORDER BY ${ordered(search, { id: 'o.id', key: 'o.key' })} LIMIT ${page}`;
  });
}

/** Of a state that few are in, who are found first and can all be sorted. */
export function fewStatement(search: UserListSearch, page: number): ListStatement {
  return statement(search.orgId, (parameter) => {
    const own = { id: 'o.user_id', key: orderOf(search).key };
    const after = search.after === undefined ? '' : `WHERE ${afterUser(search, own, parameter)}`;
    return `
      WITH few AS MATERIALIZED (SELECT u.id FROM users u WHERE ${isListed(search, parameter)})
      SELECT few.id FROM few CROSS JOIN LATERAL (SELECT h.* FROM user_humans h WHERE h.user_id = few.id OFFSET 0) AS o
      ${after} ORDER BY ${ordered(search, own)} LIMIT ${page}`;
  });
}
