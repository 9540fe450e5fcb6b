import pg from 'pg';
import { wanted } from './knobs.mjs';
import { count, line, percentile, percentiles, timed } from './table.mjs';

// `user list`: p95 of a page of the list that the console shows, over the API, beside a prepared select of a page by index.

const PAGES = 300;
const WARM_UP = 45;
const LIMIT = 50;
const FLOOR = `
  SELECT u.id, u.user_name, h.display_name, h.email FROM users u JOIN user_humans h ON h.user_id = u.id
  WHERE u.org_id = $1 AND u.id < $2 ORDER BY u.id DESC LIMIT ${LIMIT + 1}`;

/** The p95 may be so many times the floor's. */
const MOST = 3;

/** What people type and click, by kind; hardly ever the same twice. */
const KINDS = {
  'no search': () => ({}),
  'another page': (_, { cursor }) => ({ cursor }),
  'a rare word': (person) => ({ search: `person-${person}` }),
  'a middle': (person) => ({ search: `on-${person}@example` }),
  'a word of everybody': () => ({ search: 'bench' }),
  'a word of everybody, another page': (_, { cursor }) => ({ search: 'bench', cursor }),
  'a beginning of everybody': () => ({ search: 'be' }),
  'two words, one of everybody': (person) => ({ search: `Bench ${person}` }),
  'a name and a user name': (person) => ({ search: `Bench person-${person}` }),
  'a state and a type': () => ({ state: 'USER_STATE_ACTIVE', type: 'TYPE_HUMAN' }),
  'a state and a word of everybody': () => ({ state: 'USER_STATE_ACTIVE', search: 'bench' }),
  'service users': () => ({ type: 'TYPE_MACHINE' }),
  'an address': (person) => ({ search: `person-${person}@example.com` }),
  'a login name': (person, { domain }) => ({ search: `person-${person}@${domain}` }),
  'an id': (_, { id }) => ({ search: id }),
};

function queryOf(turn, users, of) {
  const names = Object.keys(KINDS);
  const kind = names[turn % names.length];
  // of three digits or more: fewer are looked for at the beginning of names alone
  const person = 100 + Math.floor(((turn * 0.618_033_988_749_895) % 1) * (users - 100));
  return { kind, query: { ...KINDS[kind](person, of), limit: String(LIMIT) } };
}

/** @param {import('./instances.mjs').Instance[]} instances of one checkout, smallest first */
export async function benchUserList(instances) {
  if (!wanted('user list')) return;
  for (const instance of instances) {
    const client = new pg.Client({ connectionString: instance.env.DATABASE_URL });
    client.on('error', () => undefined);
    await client.connect();
    await client.query('VACUUM ANALYZE');
    const { loginName } = instance.credentials.admin;
    const domain = loginName.slice(loginName.lastIndexOf('@') + 1);
    const { rows } = await client.query(
      `SELECT id, org_id FROM users WHERE kind = 'human' AND org_id = $1 ORDER BY random() LIMIT 100`,
      [instance.credentials.orgId],
    );
    const headers = { authorization: `Bearer ${instance.credentials.serviceUser.pat}` };
    const [ours, floor] = [[], []];
    const byKind = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, []]));
    for (let turn = -WARM_UP; turn < PAGES; turn += 1) {
      const from = rows[(turn + WARM_UP) % rows.length];
      const { kind, query } = queryOf(turn + WARM_UP, instance.users, {
        cursor: from.id,
        id: from.id,
        domain,
      });
      const times = [];
      const answer = await timed(times, async () => {
        const url = `${instance.issuer}/management/v1/users?${new URLSearchParams(query)}`;
        const response = await fetch(url, { headers });
        if (!response.ok) throw new Error(`a page answered ${response.status}: ${await response.text()}`);
        return await response.json();
      });
      // the oldest have nobody behind them
      if (answer.total === 0) throw new Error(`nobody was found by ${JSON.stringify(query)}`);
      if (turn >= 0) {
        ours.push(...times);
        byKind[kind].push(...times);
      }
      await timed(turn < 0 ? [] : floor, () =>
        client.query({ name: 'page', text: FLOOR, values: [from.org_id, from.id] }),
      );
    }
    await client.end();
    line(
      `user list at ${count(instance.users)}`,
      percentiles(ours),
      `beside a prepared select of a page by index: ${percentiles(floor)}`,
    );
    if (percentile(ours, 0.95) <= MOST * percentile(floor, 0.95)) continue;
    const [slowest, times] = Object.entries(byKind).reduce((one, other) =>
      percentile(other[1], 0.95) > percentile(one[1], 0.95) ? other : one,
    );
    line('', `p95 is more than ${MOST} times the floor's: slowest is ${slowest} (${percentiles(times)})`);
  }
}
