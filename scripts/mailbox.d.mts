export interface MailboxMessage {
  id: string;
  channel: 'email' | 'sms';
  /** Envelope recipients, separated by ", "; a phone number for an SMS. */
  to: string;
  /** Null for an SMS. */
  subject: string | null;
  text: string;
  /** Null for an SMS and for a mail without HTML. */
  html: string | null;
  /** ISO 8601, UTC. */
  receivedAt: string;
}

export interface Mailbox {
  /** Web page and JSON. */
  url: string;
  /** For SMTP_URL. */
  smtpUrl: string;
  /** For TWILIO_BASE_URL. */
  smsUrl: string;
  /** Newest first; `to` narrows to one recipient. */
  messages(to?: string): MailboxMessage[];
  clear(): void;
  stop(): Promise<void>;
}

export interface MailboxOptions {
  /** 0 or nothing: a free one. */
  httpPort?: number;
  smtpPort?: number;
  host?: string;
  /** Messages kept; the oldest make room. Default 5000. */
  keep?: number;
  /** An SMTP code (451, 550) or HTTP status (429, 500) to refuse this message with; undefined takes it. */
  refuse?: (message: MailboxMessage) => number | undefined | Promise<number | undefined>;
  /** Awaited after a message was taken and before its sender learns so. */
  beforeReply?: (message: MailboxMessage) => void | Promise<void>;
}

export function startMailbox(options?: MailboxOptions): Promise<Mailbox>;
