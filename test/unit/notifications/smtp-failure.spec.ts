import { describe, expect, it } from 'vitest';
import { failureOf } from '../../../src/outbound/mail/smtp-failure.js';

describe('what a failed send means (F24, F25)', () => {
  it.each([
    [{ code: 'EENVELOPE', responseCode: 550 }, 'terminal', 'smtp_550'],
    [{ code: 'EENVELOPE', responseCode: 552 }, 'terminal', 'smtp_552'],
    [{ code: 'EMESSAGE', responseCode: 554 }, 'terminal', 'smtp_554'],
    [{ code: 'EENVELOPE', responseCode: 450 }, 'retryable', 'smtp_450'],
    [{ code: 'EENVELOPE', responseCode: 421 }, 'retryable', 'smtp_421'],
    [{ code: 'EMESSAGE', responseCode: 452 }, 'retryable', 'smtp_452'],
    [{ code: 'EPROTOCOL', responseCode: 503 }, 'retryable', 'smtp_503'],
    [{ code: 'EENVELOPE' }, 'terminal', 'smtp_bad_address'],
    [{ code: 'ECONNECTION' }, 'retryable', 'smtp_connection'],
    [{ code: 'ETIMEDOUT' }, 'retryable', 'smtp_timeout'],
    [{ code: 'EDNS' }, 'retryable', 'smtp_dns'],
    [new Error('whatever'), 'retryable', 'smtp_failed'],
    [undefined, 'retryable', 'smtp_failed'],
  ] as const)('%j is %s', (error, failure, reason) => {
    expect(failureOf(error, false)).toMatchObject({ failure, reason });
  });

  it.each([{ code: 'EAUTH', responseCode: 535 }, { code: 'EAUTH', responseCode: 454 }, { code: 'EAUTH' }])(
    'waits long after %j: servers lock accounts that keep on trying',
    (error) => {
      expect(failureOf(error, false)).toMatchObject({ failure: 'retryable', retryAfterMs: 300_000 });
    },
  );

  it('is ambiguous when the line dropped after the message was written, unless the server said something', () => {
    expect(failureOf({ code: 'ECONNECTION' }, true)).toMatchObject({
      failure: 'ambiguous',
      reason: 'smtp_ambiguous',
    });
    expect(failureOf({ code: 'EMESSAGE', responseCode: 451 }, true).failure).toBe('retryable');
  });

  it('repeats no address and no word of the server', () => {
    const error = Object.assign(new Error('550 no such user <ada@mail.test>'), {
      code: 'EENVELOPE',
      responseCode: 550,
    });
    const failure = failureOf(error, false);
    expect(JSON.stringify([failure.message, failure.stack, failure.cause])).not.toContain('ada');
  });
});
