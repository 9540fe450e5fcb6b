import { expect, it } from 'vitest';
import { ApplicationsStore } from '../../../src/domain/applications/applications.store.js';
import { CreateOidcApplication } from '../../../src/domain/applications/create-oidc-application.js';
import { EnsureTourApplications } from '../../../src/domain/bootstrap/ensure-tour-applications.js';
import { EventsStore } from '../../../src/domain/events/events.store.js';
import { CreateProject } from '../../../src/domain/projects/create-project.js';
import { ProjectsStore } from '../../../src/domain/projects/projects.store.js';
import { UnitOfWork } from '../../../src/domain/shared/unit-of-work.js';
import { createDataSource } from '../../../src/storage/postgres/data-source.js';
import { migrateDatabase } from '../../../src/storage/postgres/migrate.js';
import { useApi } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import { aUser } from '../../support/users.js';
import { anOrganization } from '../../support/world.js';

const api = useApi();

async function undoUntil(name: string): Promise<void> {
  const dataSource = createDataSource({
    url: api.database.url,
    poolSize: 2,
    statementTimeoutMs: 0,
    applicationName: 'undo',
  });
  await dataSource.initialize();
  try {
    for (;;) {
      const done = await dataSource.query<{ name: string }[]>(
        'SELECT name FROM schema_migrations WHERE name = $1',
        [name],
      );
      if (done.length === 0) return;
      await dataSource.undoLastMigration({ transaction: 'each' });
    }
  } finally {
    await dataSource.destroy();
  }
}

it('S181d: the migration leaves access to what bootstrap made, ends and lists the rest', async () => {
  const world = await anOrganization(api);
  const user = await aUser(world);
  const { app } = api;
  const tour = new EnsureTourApplications(
    app.get(ProjectsStore),
    app.get(ApplicationsStore),
    app.get(CreateProject),
    app.get(CreateOidcApplication),
    app.get(EventsStore),
  );
  const { webClientId, pkceClientId } = await api.app
    .get(UnitOfWork)
    .run((tx) => tour.execute(tx, world.orgId, undefined, false));
  const { rows } = await api.sql.query<{ id: string; client_id: string }>(
    'SELECT id, client_id FROM applications WHERE client_id = ANY ($1)',
    [[webClientId, pkceClientId]],
  );
  const pkce = rows.find(({ client_id: clientId }) => clientId === pkceClientId);
  if (pkce === undefined) throw new Error('no application');
  // somebody has had their hands on one of the two
  await api.app.get(UnitOfWork).run((tx) =>
    api.app.get(EventsStore).append(tx, {
      orgId: world.orgId,
      aggregateType: 'application',
      aggregateId: pkce.id,
      sequence: 2,
      type: 'application.oidc.changed',
      actorId: user.userId,
    }),
  );
  const client = await anApplication(world, { name: 'Reader of "everything"' });
  const quiet = await anApplication(world);
  // made by somebody: what nobody is on record for having made is bootstrap's
  await api.sql.query(`UPDATE events SET actor_id = $1 WHERE aggregate_id = ANY ($2)`, [
    user.userId,
    [client.id, quiet.id],
  ]);
  for (const id of [client.id, pkce.id, quiet.id]) {
    await api.sql.query(
      `INSERT INTO grants (id, org_id, user_id, application_id, scopes, audience, auth_time, amr, subject_epoch)
       SELECT new_id(), $1, $2, $3, '{openid}',
         CASE WHEN $4 THEN ARRAY[$5, (SELECT api_project_id FROM instance)] ELSE ARRAY[$5] END, app_now(), '{pwd}', 0`,
      [world.orgId, user.userId, id, id !== quiet.id, world.projectId],
    );
  }
  await undoUntil('GiveManagementAccess1763703000000');

  const told: string[] = [];
  await migrateDatabase(api.database.url, (line) => told.push(line));
  const text = told.join('\n');
  expect(text).toContain(`client ${client.clientId}`);
  expect(text).toContain(JSON.stringify('Reader of "everything"'));
  expect(text).toContain(`client ${pkceClientId}`);
  expect(text).not.toContain(webClientId);
  expect(text).not.toContain(quiet.clientId);

  const after = await api.sql.query<{ client_id: string }>(
    `SELECT client_id FROM applications WHERE management_access = 'instance' AND first_party`,
  );
  expect(after.rows).toEqual([{ client_id: webClientId }]);
  const alive = await api.sql.query('SELECT application_id FROM grants WHERE revoked_at IS NULL');
  expect(alive.rows).toEqual([{ application_id: quiet.id }]);
});
