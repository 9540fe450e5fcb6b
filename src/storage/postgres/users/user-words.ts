// SQL by hand: a word is searched in three tables, by the index that each has
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import type { Tx } from '../../../domain/shared/unit-of-work.js';
import { canonicalName } from '../../../domain/users/names/canonical-name.js';
import { domainInAscii, partsOfName } from '../../../domain/users/names/user-name.js';
import type { Sql } from '../sql.js';
import { primaryDomainJoin } from './login-name.js';
import {
  containsPattern,
  endsPattern,
  escapeLike,
  HAS_TRIGRAM,
  INSIDE_HUMAN,
  startsPattern,
} from './user-search.js';

/** Adds a value to those of a statement, whose first is the organization, and gives its parameter. */
export type Parameter = (value: unknown) => string;

/** A word that users are looked for by. */
export interface UserWord {
  readonly text: string;
  /** Whose whole e-mail address or login name it is: those alone are meant, however many others end like it. */
  readonly meant?: readonly UserId[];
  /** What stands before the `@` of a login name, which may still be typed. */
  readonly userName?: string;
}

/** Beginnings that an index of each finds. */
const BEGINNINGS = ['h.display_name', 'h.first_name', 'h.last_name', 'h.email'] as const;

const WHOLE_NAME = {
  name: 'user-words-whole-name',
  text: `
    SELECT d.domain, ARRAY(
      SELECT i.user_id FROM login_identifiers i WHERE i.org_id = $1 AND i.canonical = $2
      UNION SELECT h.user_id FROM user_humans h WHERE h.org_id = $1 AND lower(h.email) = lower($3)
      UNION SELECT i.user_id FROM login_identifiers i
        WHERE i.org_id = $1 AND i.kind = 'user_name' AND i.canonical = $4 AND d.domain = $5
    ) AS ids
    FROM organizations o ${primaryDomainJoin('o.id')} WHERE o.id = $1`,
};

/** What is typed, with whose whole name it is where it has an `@`. */
export async function readWord(
  sql: Pick<Sql, 'row' | 'rows'>,
  tx: Tx,
  orgId: OrgId,
  text: string,
): Promise<UserWord> {
  const canonical = canonicalName(text);
  const parts = partsOfName(canonical);
  if (parts === undefined) return { text };
  const { local, domain } = parts;
  const row = await sql.row<{ domain: string | null; ids: readonly UserId[] }>(
    WHOLE_NAME,
    [orgId, canonical, text, local, domainInAscii(domain)],
    tx,
  );
  if (row === undefined) return { text };
  if (row.ids.length > 0) return { text, meant: row.ids };
  return row.domain?.startsWith(domain) === true ? { text, userName: local } : { text };
}

/** Whether a user `u`, with the rows `h` or `m` of their kind, has the word. */
export function hasWord(word: UserWord, parameter: Parameter): string {
  if (word.meant !== undefined) return `u.id = ANY(${parameter(word.meant)}::text[])`;
  const human = humanHasWord(word, parameter);
  const { inUserName, inMachine } = elsewhere(word, parameter);
  return `(${[...human, ...inUserName('u'), inMachine, `u.id = ${parameter(word.text)}`].join(' OR ')})`;
}

/** Whether a human `h` has the word in what is kept of them alone: that is not all, and decided without a join. */
export function humanAloneHasWord(word: UserWord, parameter: Parameter): string {
  if (word.meant !== undefined) return `h.user_id = ANY(${parameter(word.meant)}::text[])`;
  return `(${humanHasWord(word, parameter).join(' OR ')})`;
}

/** Gives the `id` of some users with a word, none of them deleted. */
interface IdsSource {
  readonly text: string;
  /** Where all of them are of one. */
  readonly kind?: 'human' | 'machine';
}

/** Finds by an index who has the word: each some, together all. */
export function idsWithWord(word: UserWord, parameter: Parameter): readonly IdsSource[] {
  const users = "SELECT n.id FROM users n WHERE n.org_id = $1 AND n.state <> 'deleted' AND";
  if (word.meant !== undefined) return [{ text: `${users} n.id = ANY(${parameter(word.meant)}::text[])` }];
  const { inUserName, inMachine } = elsewhere(word, parameter);
  return [
    ...humanHasWord(word, parameter).map((has) => ({
      text: `SELECT h.user_id AS id FROM user_humans h WHERE h.org_id = $1 AND ${has}`,
      kind: 'human' as const,
    })),
    ...inUserName('n').map((has) => ({ text: `${users} ${has}` })),
    { text: `${users} n.id = ${parameter(word.text)}` },
    {
      text: `SELECT m.user_id AS id FROM service_users m WHERE m.org_id = $1 AND ${inMachine}`,
      kind: 'machine',
    },
  ];
}

function humanHasWord({ text }: UserWord, parameter: Parameter): readonly string[] {
  if (!HAS_TRIGRAM.test(text)) {
    const starts = lowered(startsPattern(text), parameter);
    return BEGINNINGS.map((column) => `lower(${column}) LIKE ${starts}`);
  }
  const inside = `lower(${INSIDE_HUMAN}) LIKE ${lowered(containsPattern(text), parameter)}`;
  // kept with the country's code: a zero in front stands for it
  const digits = text.replaceAll(/\D/g, '').replace(/^0+/, '');
  const isNumber = /^[\d+()./-]+$/.test(text) && digits.length >= 3;
  return isNumber ? [inside, `h.phone LIKE ${parameter(`%${digits}%`)}`] : [inside];
}

interface Elsewhere {
  /** Of the alias of `users` that is given. */
  readonly inUserName: (alias: string) => readonly string[];
  readonly inMachine: string;
}

function elsewhere({ text, userName }: UserWord, parameter: Parameter): Elsewhere {
  const starts = lowered(startsPattern(text), parameter);
  const patterns = [HAS_TRIGRAM.test(text) ? lowered(containsPattern(text), parameter) : starts];
  if (userName !== undefined) {
    // an index finds an ending by three letters, and a whole name by any
    patterns.push(
      lowered(HAS_TRIGRAM.test(userName) ? endsPattern(userName) : escapeLike(userName), parameter),
    );
  }
  return {
    inUserName: (alias) => patterns.map((pattern) => `lower(${alias}.user_name) LIKE ${pattern}`),
    inMachine: `lower(m.name) LIKE ${starts}`,
  };
}

function lowered(pattern: string, parameter: Parameter): string {
  return `lower(${parameter(pattern)}::text)`;
}
