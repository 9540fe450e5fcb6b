import type { Readable } from 'node:stream';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { createTransport, type Transporter } from 'nodemailer';
import { Config } from '../config/config.js';
import { ChannelError, MailChannel, type MailMessage } from '../domain/notifications/channels.js';
import { failureOf } from './smtp-failure.js';

const SEND_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** One for each job that is worked at once, so that a message never waits inside of the pool. */
const CONNECTIONS = 8;

/**
 * Mail by SMTP (RFC 5321) over a pool of connections. STARTTLS is used where the server offers it, `smtps://` is
 * TLS from the start. A send ends within 30 s one way or the other; its connection is closed when it did not.
 */
@Injectable()
export class SmtpMailChannel extends MailChannel implements OnApplicationShutdown {
  private readonly transport: Transporter | undefined;
  /** What is written to the server, by the signal of its send. */
  private readonly bodies = new WeakMap<AbortSignal, Readable>();

  constructor(private readonly config: Config) {
    super();
    const { smtpUrl } = config.app.mail;
    if (smtpUrl === undefined) return;
    this.transport = createTransport({
      url: smtpUrl,
      pool: true,
      maxConnections: CONNECTIONS,
      connectionTimeout: CONNECT_TIMEOUT_MS,
      greetingTimeout: CONNECT_TIMEOUT_MS,
      dnsTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SEND_TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    this.transport.use('stream', ({ data, message }, done) => {
      message.processFunc((body) => {
        if (data.signal !== undefined) this.bodies.set(data.signal, body);
        return body;
      });
      done();
    });
  }

  override get configured(): boolean {
    return this.transport !== undefined;
  }

  override async send(message: MailMessage): Promise<void> {
    if (this.transport === undefined) throw new ChannelError('smtp_not_configured', 'retryable');
    const signal = AbortSignal.timeout(SEND_TIMEOUT_MS);
    try {
      await this.transport.sendMail({
        from: this.config.app.mail.from,
        // an object, so that an address with a comma in it cannot become two
        to: { name: '', address: message.to },
        subject: message.subject,
        text: message.text,
        html: message.html,
        messageId: `<${message.messageId}>`,
        // RFC 3834 §5, and Exchange's word for the same: no out-of-office replies
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
        signal,
      });
    } catch (error) {
      throw failureOf(error, this.bodies.get(signal)?.readableEnded ?? false);
    }
  }

  onApplicationShutdown(): void {
    this.transport?.close();
  }
}
