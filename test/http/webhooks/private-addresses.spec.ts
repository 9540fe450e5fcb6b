import { describe, expect, it } from 'vitest';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { useWorld } from '../../support/world.js';

const { api, world } = useWorld();
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));

// S243, S365: the same rules at creation and at each connection.

describe('a webhook on this network, where private addresses are refused', () => {
  it.each([
    ['http://hooks.example.com/', 'url must start with https://'],
    ['https://127.0.0.1/', 'url must not be an internal address'],
    ['https://127.1/', 'url must not be an internal address'],
    ['https://[::ffff:7f00:1]/', 'url must not be an internal address'],
    ['https://10.0.0.8:8443/', 'url must not be an internal address'],
    ['https://localhost/', 'url must not be an internal address'],
    ['https://metadata.google.internal/', 'url must not be an internal address'],
  ])('is not added at %s', async (url, message) => {
    const response = await owner.call('POST', 'webhooks', { name: 'Inside', url, eventTypes: ['*'] });
    expect(response.json()).toMatchObject({ code: 3, message });
  });

  it('is not called either, should its name lead here when it is called, or be there from before', async () => {
    const receiver = await WebhookReceiver.start();
    try {
      const hook = { name: 'Outside', url: 'https://hooks.example.com/', eventTypes: ['*'] };
      const { id } = (await owner.call('POST', 'webhooks', hook)).json<{ id: string }>();
      for (const [url, reason] of [
        [receiver.url('/', 'localhost').replace('http:', 'https:'), 'http_dns'],
        [receiver.url().replace('http:', 'https:'), 'http_dns'],
        ['https://no-such-name.invalid/', 'http_dns'],
        ['http://hooks.example.com/', 'not_https'],
      ] as const) {
        await api.sql.query('UPDATE webhooks SET url = $2 WHERE id = $1', [id, url]);
        expect((await owner.call('POST', `webhooks/${id}/_test`)).json()).toMatchObject({
          delivered: false,
          reason,
        });
      }
      expect(receiver.received).toEqual([]);
    } finally {
      await receiver.stop();
    }
  });
});
