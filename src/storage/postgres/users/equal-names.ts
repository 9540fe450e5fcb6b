// SQL by hand: lists of users in which very many have the same name; each statement has a form that one index serves
import { afterUser, ordered, orderOf } from './user-order.js';
import {
  FAR,
  isListed,
  NEAR,
  statement,
  walked,
  type ListStatement,
  type UserListSearch,
} from './user-walk.js';

// An index returns people in the order of a name, but not those with the same name in the order of their ids: these are sorted, all
// of them for each page. If very many have the same name (for example no last name), walking through the ids finds them sooner.

/** From this many with the same name on, they are not sorted. Of a million people, one in a hundred has the name then. */
const CROWD = 10_000;

/** The last name of the next page, if at least `CROWD` people have it. */
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

/** People before that name, then the first ones with it by id. Fewer than a page if there are no more, or if they are too far apart. */
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

/** People in a state, among the next `NEAR` people. */
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

/** For a state that few people are in: all of them are found first, and sorted. */
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
