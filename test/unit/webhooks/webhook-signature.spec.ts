import { describe, expect, it } from 'vitest';
import { newSigningSecret, signedHeaders } from '../../../src/domain/webhooks/webhook-signature.js';

// S244

describe('the signature of a webhook', () => {
  // the example of the specification of Standard Webhooks
  const message = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    atSeconds: 1_614_265_330,
    body: '{"test": 2432232314}',
  };
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

  it('is that of Standard Webhooks', () => {
    expect(signedHeaders(message, [secret])).toEqual({
      'content-type': 'application/json',
      'webhook-id': message.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('is there once for each secret, the newest first', () => {
    const newer = newSigningSecret();
    expect(newer).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const [first, second, ...more] = String(
      signedHeaders(message, [newer, secret])['webhook-signature'],
    ).split(' ');
    expect(first).toMatch(/^v1,/);
    expect(second).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
    expect(more).toEqual([]);
  });
});
