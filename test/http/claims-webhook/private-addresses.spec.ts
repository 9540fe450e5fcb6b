// SQL by hand: a name that leads inside is no name that a call would take
import { expect, it } from 'vitest';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { useWorld } from '../../support/world.js';

const { api, world } = useWorld();
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));

it('tells of no name whether it is one of this network (S514)', async () => {
  const receiver = await WebhookReceiver.start();
  try {
    const hook = { url: 'https://hooks.example.com/' };
    expect((await owner.call('PUT', 'claims_webhook', hook)).statusCode).toBe(200);
    for (const url of [
      receiver.url('/', 'localhost').replace('http:', 'https:'),
      receiver.url().replace('http:', 'https:'),
      'https://no-such-name.invalid/',
    ]) {
      await api.sql.query('UPDATE claims_webhooks SET url = $2 WHERE org_id = $1', [world.orgId, url]);
      expect((await owner.call('POST', 'claims_webhook/_test')).json()).toMatchObject({ reason: 'http_dns' });
    }
    expect(receiver.received).toEqual([]);
  } finally {
    await receiver.stop();
  }
});
