import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { beforeAll, expect, it } from 'vitest';
import { EventsStore } from '../../../src/domain/events/events.store.js';
import { NotificationsStore } from '../../../src/domain/notifications/notifications.store.js';
import { NotificationProvidersStore } from '../../../src/domain/notifications/providers/notification-providers.store.js';
import { ProviderChannels } from '../../../src/domain/notifications/providers/provider-channels.js';
import type { Provider } from '../../../src/domain/notifications/providers/provider.js';
import { OutboxStore } from '../../../src/domain/outbox/outbox.store.js';
import type { NotificationId, ProviderId } from '../../../src/domain/shared/ids.js';
import { Log, type LogFields } from '../../../src/domain/shared/log.js';
import { UnitOfWork } from '../../../src/domain/shared/unit-of-work.js';
import { useReplica } from '../../support/api.js';
import { given } from '../../support/given.js';
import { importHuman, record } from '../../support/human-records.js';
import { GivenProviders, sendingWith } from '../../support/sending.js';
import { aServiceUser } from '../../support/service-users.js';
import { useWorld } from '../../support/world.js';

let port: number;

// A provider that does not answer is named where operators look: log, ledger, test. Its account is not.

const { api, world } = useWorld({ OUTBOUND_PRIVATE_ADDRESSES: 'allow' });
const root = given(() => aServiceUser(world, 'IAM_OWNER'));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
beforeAll(async () => {
  // a port that nobody listens on any more
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
  server.close();
  await once(server, 'close');
});

/** Whose SMS go to a host that does not answer. */
const dead = useReplica(api, () => ({
  OUTBOUND_PRIVATE_ADDRESSES: 'allow',
  TWILIO_BASE_URL: `http://127.0.0.1:${port}`,
}));

class Warnings extends Log {
  readonly kept: [string, LogFields | undefined][] = [];
  override debug(): void {}
  override info(): void {}
  override warn(message: string, fields?: LogFields): void {
    this.kept.push([message, fields]);
  }
  override error(): void {}
}

const SETTINGS = { tls: 'starttls', user: 'marker-account', from: 'id@id.test' } as const;

it('is told by a test', async () => {
  const added = await root.call('POST', '/admin/v1/notification_providers', {
    kind: 'smtp',
    name: 'Dead',
    ...SETTINGS,
    host: '127.0.0.1',
    port,
    password: 'marker-password',
  });
  expect(added.statusCode, added.body).toBe(200);
  const { id } = added.json<{ id: string }>();
  const answer = await root.call('POST', `/admin/v1/notification_providers/${id}/_test`, {
    to: 'ada@example.org',
  });
  expect(answer.json()).toEqual({
    accepted: false,
    reason: 'smtp_connection',
    failure: 'retryable',
    host: '127.0.0.1',
    port,
    cause: 'ECONNREFUSED',
  });
});

it('is told by a test of an SMS provider', async () => {
  const on = dead;
  const added = await root.call(
    'POST',
    '/admin/v1/notification_providers',
    {
      kind: 'twilio_messages',
      name: 'Dead',
      accountSid: `AC${'0'.repeat(32)}`,
      authToken: '0'.repeat(32),
      from: '+15005550006',
    },
    { on },
  );
  expect(added.statusCode, added.body).toBe(200);
  const { id } = added.json<{ id: string }>();
  const path = `/admin/v1/notification_providers/${id}/_test`;
  const answer = await root.call('POST', path, { to: '+41791234567' }, { on });
  expect(answer.json()).toMatchObject({
    accepted: false,
    failure: 'retryable',
    host: '127.0.0.1',
    port,
    cause: 'ECONNREFUSED',
  });
});

it('is a warning with host, port and cause, and stands in the ledger', async () => {
  const provider: Provider = {
    id: 'config-smtp-dead' as ProviderId,
    name: 'dead',
    kind: 'smtp',
    channel: 'email',
    priority: 1,
    ratePerSecond: null,
    connections: 1,
    version: '1',
    settings: { ...SETTINGS, user: undefined, host: '127.0.0.1', port },
  };
  const { app } = api;
  const log = new Warnings();
  const { send } = sendingWith({
    unitOfWork: app.get(UnitOfWork),
    notifications: app.get(NotificationsStore),
    outbox: app.get(OutboxStore),
    events: app.get(EventsStore),
    providers: new GivenProviders([provider], app.get(NotificationProvidersStore).health),
    doors: app.get(ProviderChannels),
    issuer: api.config.issuer.url,
    log,
  });
  const imported = await importHuman(api, owner.pat, record({ email: { email: 'marker@example.org' } }));
  const { userId } = imported.json<{ userId: string }>();
  const { rows } = await api.sql.query<{ id: NotificationId; outbox_id: string }>(
    'SELECT id, outbox_id FROM notifications WHERE user_id = $1',
    [userId],
  );
  const [{ id, outbox_id: outboxId } = { id: '' as NotificationId, outbox_id: '' }] = rows;
  expect((await send.run(id, outboxId)).kind).toBe('retrying');
  expect(log.kept).toContainEqual([
    'a message was not delivered',
    {
      id,
      channel: 'email',
      provider: provider.id,
      reason: 'smtp_connection',
      failure: 'retryable',
      host: '127.0.0.1',
      port,
      cause: 'ECONNREFUSED',
    },
  ]);
  const shown = await root.call('GET', `/admin/v1/notifications/${id}`);
  expect(shown.json()).toMatchObject({
    state: 'retrying',
    reason: 'smtp_connection',
    host: '127.0.0.1',
    port,
    cause: 'ECONNREFUSED',
  });
  // an organization hears why, and not where the instance's servers are
  const theirs = await owner.call('GET', `/management/v1/notifications/${id}`);
  expect(theirs.json()).toMatchObject({ reason: 'smtp_connection', cause: 'ECONNREFUSED' });
  expect(theirs.body).not.toContain('127.0.0.1');
  expect(JSON.stringify([log.kept, shown.json()])).not.toMatch(/marker-(account|password)|marker@/);
});
