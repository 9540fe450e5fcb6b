import { createHmac } from 'node:crypto';
import { randomBytes } from '../shared/random.js';

/** What a secret begins with, as the libraries for Standard Webhooks expect it. */
const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A message to be signed. */
interface SignedMessage {
  /** The same at each attempt, so that whoever has seen it drops it. */
  readonly id: string;
  /** Time of this attempt, by which a replayed request is recognized. */
  readonly atSeconds: number;
  readonly body: string;
}

export function newSigningSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * Headers by the rules of Standard Webhooks 1.0: HMAC-SHA256 over `id.timestamp.body`, once by each secret that counts, so that
 * a receiver may change to the newer one at any time of the overlap.
 */
export function signedHeaders(
  { id, atSeconds, body }: SignedMessage,
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const content = `${id}.${atSeconds}.${body}`;
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(atSeconds),
    'webhook-signature': secrets.map((secret) => `v1,${signatureOf(content, secret)}`).join(' '),
  };
}

function signatureOf(content: string, secret: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return createHmac('sha256', key).update(content).digest('base64');
}
