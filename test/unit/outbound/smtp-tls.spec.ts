import { SMTPServer } from 'smtp-server';
import { afterEach, expect, it } from 'vitest';
import { SmtpChannel } from '../../../src/outbound/mail/smtp-channel.js';
import { selfSignedCertificate } from '../../conformance/support/certificate.js';
import { failureOf, mail, smtpProvider } from './providers.js';

/** Nobody vouches for it. */
const certificate = selfSignedCertificate();
const servers: SMTPServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise<void>((resolve) => server.close(() => resolve()));
});

interface Heard {
  readonly url: string;
  readonly signIns: string[];
  readonly mails: { readonly secure: boolean }[];
}

async function listen(secure: boolean): Promise<Heard> {
  const signIns: string[] = [];
  const mails: { secure: boolean }[] = [];
  const server = new SMTPServer({
    secure,
    ...certificate,
    onAuth: ({ username = '' }, _session, done) => {
      signIns.push(username);
      done(null, { user: username });
    },
    onData: (stream, session, done) => {
      mails.push({ secure: session.secure });
      stream.resume().on('end', () => done());
    },
  });
  // clients that do not trust it hang up
  server.on('error', () => undefined);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as { port: number };
  return { url: `smtp://127.0.0.1:${port}`, signIns, mails };
}

function channel(configuredUrl?: string): SmtpChannel {
  return new SmtpChannel({
    configuredUrl,
    secretOf: () => Promise.resolve('s3cret'),
    allowPrivate: () => (configuredUrl === undefined ? true : undefined),
    timeoutMs: 5_000,
  });
}

it.each([
  ['implicit', true],
  ['starttls', false],
  ['opportunistic', false],
] as const)('says nothing over %s TLS to a server whose certificate does not hold', async (tls, secure) => {
  const server = await listen(secure);
  const provider = smtpProvider(server.url, { tls, user: 'svc' });
  const failure = await failureOf(channel().send(provider, mail));
  expect(failure).toMatchObject({ failure: 'retryable', reason: 'smtp_tls' });
  expect(server).toMatchObject({ signIns: [], mails: [] });
});

it.each([
  ['smtps', true],
  ['smtp', false],
] as const)('uses TLS by %s:// of the configuration, with what its query says', async (scheme, secure) => {
  const server = await listen(secure);
  const { host } = new URL(server.url);
  const url = `${scheme}://svc:s3cret@${host}/?tls.rejectUnauthorized=false`;
  const smtp = channel(url);
  await smtp.send(smtpProvider(server.url), mail);
  smtp.close();
  expect(server).toMatchObject({ signIns: ['svc'], mails: [{ secure: true }] });
});
