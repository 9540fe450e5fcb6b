import pg from 'pg';
import { wanted } from './knobs.mjs';
import { count, line, percentiles, timed } from './table.mjs';

// `user list`: p95 of a page of the list that the console shows, over the API, beside a prepared select of a page by index.

const PAGES = 300;
const LIMIT = 50;
const FLOOR = `
  SELECT u.id, u.user_name, h.display_name, h.email FROM users u JOIN user_humans h ON h.user_id = u.id
  WHERE u.org_id = $1 AND u.id < $2 ORDER BY u.id DESC LIMIT ${LIMIT + 1}`;

/** What people type and click, hardly ever the same twice. */
function queryOf(turn, users, cursor) {
  const person = 1 + Math.floor(((turn * 0.618_033_988_749_895) % 1) * users);
  const kinds = [
    {},
    { ...(cursor !== undefined && { cursor }) },
    { search: `person-${person}` },
    { search: `on-${person}@example` },
    { search: `Bench ${person}` },
    { state: 'USER_STATE_ACTIVE', type: 'TYPE_HUMAN' },
  ];
  return { ...kinds[turn % kinds.length], limit: String(LIMIT) };
}

/** @param {import('./instances.mjs').Instance[]} instances of one checkout, smallest first */
export async function benchUserList(instances) {
  if (!wanted('user list')) return;
  for (const instance of instances) {
    const client = new pg.Client({ connectionString: instance.env.DATABASE_URL });
    client.on('error', () => undefined);
    await client.connect();
    await client.query('VACUUM ANALYZE');
    const { rows } = await client.query('SELECT id, org_id FROM users ORDER BY random() LIMIT 100');
    const headers = { authorization: `Bearer ${instance.credentials.serviceUser.pat}` };
    const [ours, floor] = [[], []];
    let cursor;
    for (let turn = -36; turn < PAGES; turn += 1) {
      const query = queryOf(turn + 36, instance.users, cursor);
      const answer = await timed(turn < 0 ? [] : ours, async () => {
        const url = `${instance.issuer}/management/v1/users?${new URLSearchParams(query)}`;
        const response = await fetch(url, { headers });
        if (!response.ok) throw new Error(`a page answered ${response.status}: ${await response.text()}`);
        return await response.json();
      });
      if (answer.result.length === 0) throw new Error(`nobody was found by ${JSON.stringify(query)}`);
      cursor = answer.nextCursor ?? cursor;
      const from = rows[(turn + 36) % rows.length];
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
  }
}
