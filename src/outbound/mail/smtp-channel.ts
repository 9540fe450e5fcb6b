import { connect, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { createTransport, type Transporter } from 'nodemailer';
import type { Accepted, MailMessage } from '../../domain/notifications/channels.js';
import type { SmtpProvider } from '../../domain/notifications/providers/provider.js';
import { tracedCall } from '../../tracing/trace.js';
import { guardedLookup, requireAllowedHost } from '../guarded-lookup.js';
import { PerProvider } from '../per-provider.js';
import { mailBytes, messageIdOf, recipient } from './mail-bytes.js';
import { failureOf } from './smtp-failure.js';

const CONNECT_TIMEOUT_MS = 10_000;

export interface SmtpChannelOptions {
  /** Of `SMTP_URL`, which may carry settings of nodemailer in its query. */
  readonly configuredUrl: string | undefined;
  readonly secretOf: (provider: SmtpProvider) => Promise<string | undefined>;
  /** Undefined for a host that the operator named: that one may be anywhere. */
  readonly allowPrivate: (provider: SmtpProvider) => boolean | undefined;
  readonly timeoutMs: number;
}

/**
 * Mail by SMTP (RFC 5321), over a pool of connections for each provider. A send ends within the time-out one way or
 * the other; its connection is closed when it did not.
 */
export class SmtpChannel {
  private readonly pools: PerProvider<SmtpProvider, Transporter>;
  /** What is written to the server, by the signal of its send. */
  private readonly bodies = new WeakMap<AbortSignal, Readable>();

  constructor(private readonly options: SmtpChannelOptions) {
    this.pools = new PerProvider(
      (provider) => this.open(provider),
      (pool) => pool.close(),
    );
  }

  /** @throws ChannelError */
  async send(provider: SmtpProvider, message: MailMessage): Promise<Accepted> {
    const pool = await this.pools.of(provider);
    const signal = AbortSignal.timeout(this.options.timeoutMs);
    try {
      const { settings } = provider;
      const envelope = { from: settings.from, to: recipient(message) };
      const raw = mailBytes(message, settings);
      // nodemailer does not parse raw messages, and would report a Message-ID of its own
      const messageId = messageIdOf(message);
      const info = (await tracedCall('SMTP', settings.host, () =>
        pool.sendMail({ envelope, raw, messageId, signal }),
      )) as { response?: unknown };
      return acceptedWith(info.response);
    } catch (error) {
      throw failureOf(error, this.bodies.get(signal)?.readableEnded ?? false);
    }
  }

  close(): void {
    this.pools.closeAll();
  }

  private async open(provider: SmtpProvider): Promise<Transporter> {
    const { settings } = provider;
    const { configuredUrl, timeoutMs } = this.options;
    const allowPrivate = this.options.allowPrivate(provider);
    const timeout = Math.min(CONNECT_TIMEOUT_MS, timeoutMs);
    const password = await this.options.secretOf(provider);
    const account =
      settings.user === undefined ? {} : { auth: { user: settings.user, pass: password ?? '' } };
    const pool = createTransport({
      ...(allowPrivate === undefined && configuredUrl !== undefined
        ? { url: quiet(configuredUrl) }
        : { host: settings.host, port: settings.port, ...account, ...tlsOptions(settings.tls) }),
      ...(allowPrivate === undefined ? {} : { getSocket: guardedSocket(settings, allowPrivate, timeout) }),
      pool: true,
      maxConnections: provider.connections,
      connectionTimeout: timeout,
      greetingTimeout: timeout,
      dnsTimeout: timeout,
      socketTimeout: timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    pool.use('stream', ({ data, message }, done) => {
      message.processFunc((body) => {
        if (data.signal !== undefined) this.bodies.set(data.signal, body);
        return body;
      });
      done();
    });
    return pool;
  }
}

/** nodemailer's debug log contains whole mails with their codes; parameters of its URL override options. */
function quiet(url: string): string {
  const told = new URL(url);
  for (const name of ['logger', 'debug', 'transactionLog']) told.searchParams.delete(name);
  return told.href;
}

/** Postfix, Exim and those who word it as they do name the message in their answer. */
function acceptedWith(response: unknown): Accepted {
  if (typeof response !== 'string') return {};
  const name = /(?:queued as|\bid=) ?([!-~]{1,200})/i.exec(response)?.[1];
  return name === undefined ? {} : { providerMessageId: name };
}

function tlsOptions(tls: SmtpProvider['settings']['tls']): Record<string, unknown> {
  switch (tls) {
    case 'implicit':
      return { secure: true };
    case 'starttls':
      return { secure: false, requireTLS: true };
    case 'opportunistic':
      return { secure: false };
    case 'none':
      return { secure: false, ignoreTLS: true };
  }
}

type SocketCallback = (error: Error | null, found?: { connection: Socket }) => void;

/** The socket goes to an address that was looked at; TLS comes on top of it. */
function guardedSocket(
  { host, port }: SmtpProvider['settings'],
  allowPrivate: boolean,
  timeoutMs: number,
): (options: unknown, done: SocketCallback) => void {
  return (_options, done) => {
    try {
      requireAllowedHost(host, allowPrivate);
    } catch (error) {
      return done(error as Error);
    }
    const socket = connect({ host, port, lookup: guardedLookup(allowPrivate) });
    const timer = setTimeout(() => {
      socket.destroy(Object.assign(new Error('connection timed out'), { code: 'ETIMEDOUT' }));
    }, timeoutMs);
    const failed = (error: Error): void => {
      clearTimeout(timer);
      done(error);
    };
    socket.once('error', failed);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.off('error', failed);
      done(null, { connection: socket });
    });
  };
}
