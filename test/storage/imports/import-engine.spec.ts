import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UserId } from '../../../src/domain/shared/ids.js';
import { startTestApi, type TestApi } from '../../support/api.js';
import { human, ImportEngine } from '../../support/import-engine.js';
import { World } from '../../support/world.js';

let api: TestApi;
let world: World;
let engine: ImportEngine;
let owner: UserId;

beforeAll(async () => {
  api = await startTestApi();
  world = await World.create(api);
  engine = new ImportEngine(api);
  owner = await engine.addImporter(world.orgId);
});

afterAll(async () => {
  await api.close();
});

describe('a file of new users', () => {
  it('becomes users, names, passwords and events, and nothing of it is kept', async () => {
    const records = Array.from({ length: 25 }, (_, index) => human(`new-${index}`));
    const job = await engine.import(world.orgId, owner, records, {}, 10);
    expect(job).toMatchObject({
      state: 'done',
      total: 25,
      counts: { created: 25, updated: 0, skipped: 0, failed: 0 },
    });
    const outcomes = await engine.outcomes(job);
    expect(outcomes.map(({ line, outcome }) => [line, outcome])).toEqual(
      records.map((_, index) => [index + 1, 'created']),
    );
    const ids = outcomes.map(({ userId }) => userId);
    const { rows } = await api.sql.query(
      `SELECT u.user_name, u.state, h.email, p.scheme, e.type, e.data ->> 'import' AS job,
         (SELECT count(*)::int FROM login_identifiers i WHERE i.user_id = u.id) AS names
       FROM users u JOIN user_humans h ON h.user_id = u.id JOIN user_passwords p ON p.user_id = u.id
       JOIN events e ON e.aggregate_type = 'user' AND e.aggregate_id = u.id
       WHERE u.id = ANY ($1) ORDER BY u.id`,
      [ids],
    );
    expect(rows).toHaveLength(25);
    expect(rows[0]).toEqual({
      user_name: 'new-0',
      state: 'active',
      email: 'new-0@mail.test',
      scheme: 'bcrypt',
      type: 'user.human.imported',
      job: job.id,
      names: 2,
    });
    const { rows: left } = await api.sql.query(
      'SELECT FROM import_chunks WHERE job_id = $1 AND (payload IS NOT NULL OR failed_payload IS NOT NULL)',
      [job.id],
    );
    expect(left).toHaveLength(0);
  });
});
