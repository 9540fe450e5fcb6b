// SQL by hand: pages by cursor; words are searched user by user or by an index, whichever is faster
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import { MOST_COUNTED, type Cursor } from '../../../domain/shared/page.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import type { UserList, UserListQuery } from '../../../domain/users/user-list.js';
import { withinTime } from '../search-time-limit.js';
import type { Sql } from '../sql.js';
import { crowdStatement, fewStatement, nearStatement, throughCrowdStatement } from './equal-names.js';
import { afterUser, keyOfUser, ordered, walksPeople } from './user-order.js';
import { toUser, USER_COLUMNS, USER_JOINS, type UserRow } from './user-rows.js';
import {
  FAR,
  isListed,
  NEAR,
  statement,
  walked,
  type ListStatement,
  type UserListSearch,
} from './user-walk.js';
import {
  hasWord,
  humanAloneHasWord,
  idsWithWord,
  readWord,
  type Parameter,
  type UserWord,
} from './user-words.js';

/** Counting stops at this number. */
const MANY = MOST_COUNTED + 1;

interface Found {
  /** In the order asked for, one more than the page has where there is another. */
  readonly ids: readonly UserId[];
  /** Up to `MANY`. */
  readonly counted: number;
}

/**
 * The list that people look through: one page after a user, found by words that may be anywhere.
 *
 * How many match a word is not known before. The first users in the requested order are checked one by one, which fills the page if
 * many match the words, and shows which word is the rarest. Else an index finds the matches of that one, and the others are searched
 * in those. Both end early: a word that everybody matches is never looked up as a whole.
 *
 * Not prepared, as the planner must see the words.
 */
export class UserLists {
  constructor(private readonly sql: Pick<Sql, 'transaction' | 'rows' | 'row'>) {}

  /** @throws ApiError resource-exhausted when it takes longer than a search may */
  async list(orgId: OrgId, query: UserListQuery): Promise<UserList> {
    return await this.searching(orgId, query, async (search, tx) => {
      const { ids, counted } = await this.find(search, tx);
      const page = ids.slice(0, query.limit);
      const rows = page.length === 0 ? [] : await this.ask<ListedRow>(usersStatement(page, query), tx);
      const last = ids.length > query.limit ? rows.at(-1) : undefined;
      return { users: rows.map(toUser), next: last && placeAfter(last, query), counted };
    });
  }

  /** Only the ids of those found, up to `query.limit`. @throws ApiError as `list` */
  async listIds(orgId: OrgId, query: UserListQuery): Promise<readonly UserId[]> {
    return await this.searching(orgId, query, async (search, tx) => {
      if (search.words.length === 0) return await this.page(search, query.limit, tx);
      const { matches } = await this.walk(search, NEAR, tx);
      const driver = rarest(search.words, matches);
      return (await this.byIndex(search, driver, query.limit, tx, query.limit)).ids;
    });
  }

  private async searching<Result>(
    orgId: OrgId,
    { words, ...query }: UserListQuery,
    work: (search: UserListSearch, tx: Tx) => Promise<Result>,
  ): Promise<Result> {
    return await withinTime(
      this.sql,
      async (tx) => {
        const read: UserWord[] = [];
        for (const word of words) read.push(await readWord(this.sql, tx, orgId, word));
        return await work({ ...query, orgId, words: read }, tx);
      },
      { longestMs: 5000, advice: 'ask for more letters', errorId: 'QUERY-uL4s7' },
    );
  }

  private async find(search: UserListSearch, tx: Tx): Promise<Found> {
    const page = search.limit + 1;
    if (search.words.length === 0) {
      const counted = await this.count(countStatement(search), tx);
      return { ids: await this.pageOfAll(search, page, counted, tx), counted };
    }
    const meant = search.words.find((word) => word.meant !== undefined);
    if (meant !== undefined) return await this.byIndex(search, meant, page, tx);
    const most = Math.max(NEAR, 20 * page);
    const near = await this.walk(search, most, tx);
    const isWalked = near.walked < most;
    if (isWalked && search.after === undefined) {
      return { ids: near.ids.slice(0, page), counted: Math.min(near.ids.length, MANY) };
    }
    const filled = isWalked || near.ids.length >= page ? near.ids.slice(0, page) : undefined;
    const isCommon = near.ids.length * 2 >= near.walked && search.type !== 'machine';
    if (filled !== undefined && isCommon && (await this.count(humansStatement(search), tx)) === MANY) {
      return { ids: filled, counted: MANY };
    }
    const driver = rarest(search.words, near.matches);
    const { ids, counted } = await this.byIndex(search, driver, page, tx);
    if (filled !== undefined || counted < MANY) return { ids: filled ?? ids, counted };
    return { ids: await this.sparsePage(search, driver, page, tx), counted };
  }

  /** Without words. People in the order of a name are found by the shortest way, by how many have the same one and the state. */
  private async pageOfAll(
    search: UserListSearch,
    page: number,
    counted: number,
    tx: Tx,
  ): Promise<readonly UserId[]> {
    if (!walksPeople(search)) return await this.page(search, page, tx);
    const [crowd] = await this.ask<{ key: string }>(crowdStatement(search, page), tx);
    if (search.state !== undefined && counted < MANY) {
      const near = crowd === undefined ? await this.ids(nearStatement(search, page), tx) : [];
      return near.length >= page ? near : await this.ids(fewStatement(search, page), tx);
    }
    const through =
      crowd === undefined ? [] : await this.ids(throughCrowdStatement(search, crowd.key, page), tx);
    return through.length >= page ? through : await this.page(search, page, tx);
  }

  private async byIndex(
    search: UserListSearch,
    driver: UserWord,
    page: number,
    tx: Tx,
    most = MANY,
  ): Promise<Found> {
    const [row] = await this.ask<Found>(indexStatement(search, driver, page, most), tx);
    return row ?? { ids: [], counted: 0 };
  }

  /** For words that many users have, but few of the first users in the order. */
  private async sparsePage(
    search: UserListSearch,
    driver: UserWord,
    page: number,
    tx: Tx,
  ): Promise<readonly UserId[]> {
    const far = await this.page(search, page, tx, FAR);
    if (far.length >= page) return far;
    return (await this.byIndex(search, driver, page, tx, Infinity)).ids;
  }

  private async walk(search: UserListSearch, most: number, tx: Tx): Promise<WalkRow> {
    const [row] = await this.ask<WalkRow>(walkStatement(search, most), tx);
    return row ?? { walked: 0, matches: [], ids: [] };
  }

  private async page(
    search: UserListSearch,
    page: number,
    tx: Tx,
    most?: number,
  ): Promise<readonly UserId[]> {
    return await this.ids(pageStatement(search, page, most), tx);
  }

  private async ids(found: ListStatement, tx: Tx): Promise<readonly UserId[]> {
    return (await this.ask<{ id: UserId }>(found, tx)).map(({ id }) => id);
  }

  private async count(statement: ListStatement, tx: Tx): Promise<number> {
    const [row] = await this.ask<{ counted: number }>(statement, tx);
    return row?.counted ?? 0;
  }

  private async ask<T extends object>({ text, values }: ListStatement, tx: Tx): Promise<readonly T[]> {
    return await this.sql.rows<T & Record<string, unknown>>({ name: '', text }, values, tx);
  }
}

type ListedRow = UserRow & { readonly list_key: string };

function placeAfter({ id, list_key: key }: ListedRow, { list = '' }: UserListQuery): Cursor {
  return { list, key, id };
}

interface WalkRow {
  readonly walked: number;
  /** How many of those have each word. */
  readonly matches: readonly number[];
  /** Who of those has all of them. */
  readonly ids: readonly UserId[];
}

/** The word that the fewest of the checked users have; of several, the longest. */
function rarest(words: readonly UserWord[], matches: readonly number[]): UserWord {
  const weighed = words.map((word, index) => ({
    word,
    weight: word.meant === undefined ? (matches[index] ?? 0) : -1,
  }));
  weighed.sort((a, b) => a.weight - b.weight || b.word.text.length - a.word.text.length);
  const [first] = weighed;
  if (first === undefined) throw new Error('there is a word to look for');
  return first.word;
}

// OFFSET 0 keeps the planner from reading the tables as a whole, to join them with a few thousand users
const NAMES = `
  LEFT JOIN LATERAL (SELECT h.* FROM user_humans h WHERE h.user_id = u.id AND u.kind = 'human' OFFSET 0) h ON true
  LEFT JOIN LATERAL (SELECT m.* FROM service_users m WHERE m.user_id = u.id AND u.kind = 'machine' OFFSET 0) m ON true`;

function hasAll(words: readonly UserWord[], parameter: Parameter): string {
  return words.map((word) => hasWord(word, parameter)).join('\n AND ');
}

/** Checks the first `most` users one by one. */
export function walkStatement(search: UserListSearch, most: number): ListStatement {
  return statement(search.orgId, (parameter) => {
    const has = search.words.map((word, index) => `${hasWord(word, parameter)} AS has${index}`);
    const columns = search.words.map((_, index) => `has${index}`);
    return `
      SELECT count(*)::integer AS walked,
        ARRAY[${columns.map((column) => `(count(*) FILTER (WHERE ${column}))::integer`).join(', ')}] AS matches,
        coalesce(array_agg(id ORDER BY ${ordered(search)}) FILTER (WHERE ${columns.join(' AND ')}), '{}') AS ids
      FROM (SELECT u.id, u.key, ${has.join(', ')} FROM (${walked(search, parameter, most)}) u ${NAMES} OFFSET 0) AS seen`;
  });
}

/** The first so many who have the words, of all or of `most`. */
export function pageStatement(search: UserListSearch, page: number, most?: number): ListStatement {
  return statement(search.orgId, (parameter) => {
    if (search.words.length === 0) return walked(search, parameter, page);
    return `
      SELECT u.id FROM (${walked(search, parameter, most)}) u ${NAMES}
      WHERE ${hasAll(search.words, parameter)} ORDER BY ${ordered(search, { id: 'u.id', key: 'u.key' })} LIMIT ${page}`;
  });
}

/**
 * Whom an index finds by one of the words, and who of them has the others. Each look-up ends at `most`: where fewer
 * were found, all are counted, and only then are the ids those of the first.
 */
export function indexStatement(
  search: UserListSearch,
  driver: UserWord,
  page: number,
  most = MANY,
): ListStatement {
  return statement(search.orgId, (parameter) => {
    const listed = isListed(search, parameter);
    const others = search.words.filter((word) => word !== driver);
    const rest = others.length === 0 ? '' : `${NAMES} WHERE ${hasAll(others, parameter)}`;
    const limit = Number.isFinite(most) ? `LIMIT ${most}` : '';
    const found = idsWithWord(driver, parameter).map(({ text, kind }) =>
      others.length === 0 && search.state === undefined && (search.type === undefined || search.type === kind)
        ? `(${text} ${limit})`
        : `(SELECT u.id FROM (${text}) AS one CROSS JOIN LATERAL
             (SELECT u.id, u.user_name, u.kind FROM users u WHERE u.id = one.id AND ${listed} OFFSET 0) u ${rest} ${limit})`,
    );
    const after = search.after === undefined ? '' : `WHERE ${afterUser(search, {}, parameter)}`;
    return `
      WITH found AS MATERIALIZED (${found.join(' UNION ')})
      SELECT ARRAY(SELECT id FROM (${keyed(search)}) AS keyed ${after} ORDER BY ${ordered(search)} LIMIT ${page}) AS ids,
        (SELECT least(count(*), ${MANY})::integer FROM found) AS counted`;
  });
}

/** What was found with the key of the order, one look-up for each. */
function keyed(search: UserListSearch): string {
  if (keyOfUser(search) === 'u.id') return 'SELECT id, id AS key FROM found';
  return `
    SELECT f.id, ${keyOfUser(search)} AS key FROM found f
    CROSS JOIN LATERAL (SELECT u.id, u.user_name, u.kind FROM users u WHERE u.id = f.id OFFSET 0) u ${NAMES}`;
}

function countStatement(search: UserListSearch): ListStatement {
  const all = { ...search, after: undefined, by: undefined };
  return statement(search.orgId, (parameter) => {
    const users =
      search.type === 'machine'
        ? walked(all, parameter, MANY)
        : `SELECT FROM users u WHERE ${isListed(all, parameter)} LIMIT ${MANY}`;
    return `SELECT count(*)::integer AS counted FROM (${users}) AS counted`;
  });
}

/**
 * Counts the humans who have the words in their names or address, and nobody else: enough where nearly everybody has them.
 * The row of a human goes with the deletion, so that their user is asked for a state alone.
 */
function humansStatement(search: UserListSearch): ListStatement {
  return statement(search.orgId, (parameter) => {
    const user =
      search.state === undefined
        ? ''
        : `CROSS JOIN LATERAL (SELECT FROM users u WHERE u.id = h.user_id AND ${isListed(search, parameter)} OFFSET 0) u`;
    const has = search.words.map((word) => humanAloneHasWord(word, parameter)).join(' AND ');
    return `
      SELECT count(*)::integer AS counted
      FROM (SELECT FROM user_humans h ${user} WHERE h.org_id = $1 AND ${has} LIMIT ${MANY}) AS counted`;
  });
}

function usersStatement(ids: readonly UserId[], query: UserListQuery): ListStatement {
  return {
    text: `
      SELECT ${USER_COLUMNS}, ${keyOfUser(query)} AS list_key FROM users u ${USER_JOINS}
      WHERE u.id = ANY($1::text[]) ORDER BY array_position($1::text[], u.id)`,
    values: [ids],
  };
}
