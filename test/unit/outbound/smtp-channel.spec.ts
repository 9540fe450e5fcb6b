import { createServer } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SmtpChannel, type SmtpChannelOptions } from '../../../src/outbound/mail/smtp-channel.js';
import { ScriptedSmtp } from '../../support/scripted-smtp.js';
import { failureOf, mail, smtpProvider } from './providers.js';

let server: ScriptedSmtp;
let channels: SmtpChannel[];

beforeEach(async () => {
  server = await ScriptedSmtp.start();
  channels = [];
});
afterEach(async () => {
  for (const channel of channels) channel.close();
  await server.stop();
});

function channelWith(changes: Partial<SmtpChannelOptions> = {}): SmtpChannel {
  const channel = new SmtpChannel({
    configuredUrl: undefined,
    secretOf: () => Promise.resolve('s3cret-pass'),
    allowPrivate: () => true,
    timeoutMs: 5_000,
    ...changes,
  });
  channels.push(channel);
  return channel;
}

describe('a mail by SMTP', () => {
  it('arrives with its sender, where to answer, and its own Message-ID, and learns the server’s name for it', async () => {
    server.replies = { '.': '250 2.0.0 Ok: queued as 4XyZ12' };
    const provider = smtpProvider(server.url, { replyTo: 'help@mail.test' });
    expect(await channelWith().send(provider, mail)).toEqual({ providerMessageId: '4XyZ12' });
    const [received] = server.received;
    expect(received).toContain('Message-ID: <n1@id.test>');
    expect(received).toContain('From: id@mail.test');
    expect(received).toContain('Reply-To: help@mail.test');
    expect(received).toContain('Auto-Submitted: auto-generated');
    expect(server.commands).toContain('RCPT TO:<ada@mail.test>');
  });

  const refusals: readonly (readonly [step: string, reply: string, expected: object])[] = [
    ['greeting', '421 too busy', { reason: 'smtp_421', failure: 'retryable' }],
    ['greeting', '554 not you', { reason: 'smtp_554', failure: 'retryable', scope: 'provider' }],
    ['MAIL', '451 try later', { reason: 'smtp_451', failure: 'retryable', scope: 'message' }],
    ['MAIL', '550 no such sender', { reason: 'smtp_sender_550', failure: 'retryable', scope: 'provider' }],
    ['MAIL', '552 too big', { reason: 'smtp_552', failure: 'terminal', scope: 'message' }],
    ['MAIL', '530 sign in first', { reason: 'smtp_530', failure: 'retryable', scope: 'provider' }],
    ['RCPT', '421 closing', { reason: 'smtp_421', failure: 'retryable', scope: 'message' }],
    ['RCPT', '450 greylisted', { reason: 'smtp_450', failure: 'retryable', scope: 'message' }],
    ['RCPT', '451 local error', { reason: 'smtp_451', failure: 'retryable', scope: 'message' }],
    ['RCPT', '452 full', { reason: 'smtp_452', failure: 'retryable', scope: 'message' }],
    ['RCPT', '550 unknown user', { reason: 'smtp_550', failure: 'terminal', scope: 'message' }],
    ['RCPT', '551 not here', { reason: 'smtp_551', failure: 'terminal', scope: 'message' }],
    ['RCPT', '552 over quota', { reason: 'smtp_552', failure: 'terminal', scope: 'message' }],
    ['RCPT', '553 no such name', { reason: 'smtp_553', failure: 'terminal', scope: 'message' }],
    ['.', '451 try later', { reason: 'smtp_451', failure: 'retryable', scope: 'message' }],
    ['.', '552 too big', { reason: 'smtp_552', failure: 'terminal', scope: 'message' }],
    ['.', '554 spam', { reason: 'smtp_554', failure: 'terminal', scope: 'message' }],
    ['MAIL', 'drop', { reason: 'smtp_connection', failure: 'retryable' }],
    ['RCPT', 'drop', { reason: 'smtp_connection', failure: 'retryable' }],
    // the message was there: the server may deliver it (F25)
    ['.', 'drop', { reason: 'smtp_ambiguous', failure: 'ambiguous', scope: 'message' }],
  ];

  it.each(refusals)('that meets %s → %s is %j (F24, F25)', async (step, reply, expected) => {
    server.replies = { [step]: reply };
    const failure = await failureOf(channelWith().send(smtpProvider(server.url), mail));
    const { reason, failure: kind, scope } = failure;
    expect({ reason, failure: kind, scope }).toMatchObject(expected);
  });

  it.each(['454 temporary authentication failure', '535 bad credentials', '534 mechanism too weak'])(
    'pauses the provider when signing in is answered with %s (F24)',
    async (reply) => {
      server.replies = { EHLO: '250-sink\r\n250 AUTH PLAIN', AUTH: reply };
      const channel = channelWith();
      const failure = await failureOf(channel.send(smtpProvider(server.url, { user: 'svc' }), mail));
      expect(failure).toMatchObject({
        reason: `smtp_${reply.slice(0, 3)}`,
        failure: 'retryable',
        retryAfterMs: 300_000,
        scope: 'provider',
      });
      const printed = inspect(failure, { depth: 9, showHidden: true });
      expect(printed).not.toContain('s3cret-pass');
      expect(printed).not.toContain(Buffer.from('\0svc\0s3cret-pass').toString('base64'));
    },
  );

  it('signs in with the secret that is opened for it', async () => {
    server.replies = { EHLO: '250-sink\r\n250 AUTH PLAIN', AUTH: '235 welcome' };
    await channelWith().send(smtpProvider(server.url, { user: 'svc' }), mail);
    expect(server.commands).toContain(`AUTH PLAIN ${Buffer.from('\0svc\0s3cret-pass').toString('base64')}`);
  });

  it.each(['greeting', 'EHLO', 'MAIL', 'RCPT', 'DATA'])(
    'ends in time when nothing follows %s (F23)',
    async (step) => {
      server.replies = { [step]: 'hang' };
      const failure = await failureOf(channelWith({ timeoutMs: 300 }).send(smtpProvider(server.url), mail));
      expect(failure).toMatchObject({ reason: 'smtp_timeout', failure: 'retryable' });
    },
  );

  it('may have been taken when the answer to it does not come in time (F25)', async () => {
    server.replies = { '.': 'hang' };
    const failure = await failureOf(channelWith({ timeoutMs: 300 }).send(smtpProvider(server.url), mail));
    expect(failure).toMatchObject({ reason: 'smtp_ambiguous', failure: 'ambiguous' });
  });

  it('goes nowhere in the clear when TLS was asked for', async () => {
    server.replies = { STARTTLS: '502 no such command' };
    const starttls = smtpProvider(server.url, { tls: 'starttls', user: 'svc' });
    expect(await failureOf(channelWith().send(starttls, mail))).toMatchObject({
      reason: 'smtp_tls',
      failure: 'retryable',
      scope: 'provider',
    });
    const implicit = smtpProvider(server.url, { tls: 'implicit', user: 'svc' });
    const failure = await failureOf(channelWith({ timeoutMs: 500 }).send(implicit, mail));
    expect(failure.failure).toBe('retryable');
    expect(server.commands.filter((command) => /^(AUTH|MAIL|RCPT|DATA)/.test(command))).toEqual([]);
  });

  it('may be tried again when nobody listens', async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as { port: number };
    await new Promise((resolve) => closed.close(resolve));
    const failure = await failureOf(channelWith().send(smtpProvider(`smtp://127.0.0.1:${port}`), mail));
    expect(failure).toMatchObject({ reason: 'smtp_connection', failure: 'retryable' });
  });
});

describe('connections to a mail server', () => {
  it('are kept for the next mail, and closed when the settings change', async () => {
    const channel = channelWith();
    const provider = smtpProvider(server.url);
    await channel.send(provider, mail);
    await channel.send(provider, mail);
    expect(server.connections).toBe(1);
    await channel.send({ ...provider, version: '2' }, mail);
    expect(server.connections).toBe(2);
    await expect.poll(() => server.open).toBe(1);
    channel.close();
    await expect.poll(() => server.open).toBe(0);
  });

  it('are never more than the provider allows', async () => {
    const channel = channelWith();
    const provider = { ...smtpProvider(server.url), connections: 2 };
    await Promise.all(Array.from({ length: 8 }, () => channel.send(provider, mail)));
    expect(server.received).toHaveLength(8);
    expect(server.mostOpen).toBeLessThanOrEqual(2);
  });

  it.each(['127.0.0.1', 'localhost', '127.1', '0x7f000001', '2130706433', '::ffff:127.0.0.1'])(
    'are never made to this host as %s (S162)',
    async (host) => {
      const provider = smtpProvider(server.url, { host });
      const failure = await failureOf(channelWith({ allowPrivate: () => false }).send(provider, mail));
      expect(failure).toMatchObject({ reason: 'address_refused', failure: 'retryable', scope: 'provider' });
      expect(server.connections).toBe(0);
    },
  );

  it('are never made to a metadata service, even where private networks are allowed (S162)', async () => {
    const provider = smtpProvider(server.url, { host: '169.254.169.254' });
    const failure = await failureOf(channelWith().send(provider, mail));
    expect(failure).toMatchObject({ reason: 'address_refused', scope: 'provider' });
  });

  it('go wherever the operator’s own configuration says', async () => {
    const channel = channelWith({ allowPrivate: () => undefined, configuredUrl: server.url });
    await channel.send(smtpProvider('smtp://elsewhere.test:1'), mail);
    expect(server.received).toHaveLength(1);
  });
});
