import { ApplicationsStore } from '../../src/domain/applications/applications.store.js';
import { CreateOidcApplication } from '../../src/domain/applications/create-oidc-application.js';
import { EnsureConsole } from '../../src/domain/bootstrap/ensure-console.js';
import { EventsStore } from '../../src/domain/events/events.store.js';
import { InstanceStore } from '../../src/domain/organizations/instance.store.js';
import type { ClientId } from '../../src/domain/shared/ids.js';
import { UnitOfWork } from '../../src/domain/shared/unit-of-work.js';
import type { TestApi } from './api.js';

/** What bootstrap does for the console, on an instance that has its first organization. */
export async function ensureConsole({ app }: TestApi, publicUrl = 'https://id.test'): Promise<ClientId> {
  const instance = app.get(InstanceStore);
  const ensure = new EnsureConsole(
    instance,
    app.get(ApplicationsStore),
    app.get(CreateOidcApplication, { strict: false }),
    app.get(EventsStore),
  );
  await app.get(UnitOfWork).run(async (tx) => await ensure.execute(tx, publicUrl));
  const client = await instance.findConsoleClient();
  if (client === undefined) throw new Error('the console was not made');
  return client;
}
