import { createHmac } from 'node:crypto';

/**
 * `X-Signature: t=<unix seconds>,v1=<hex>` of what is sent to a webhook: v1 is HMAC-SHA256 over `<t>.<body>`, so that whoever
 * receives it knows who sent it, and does not take an old one for a new one.
 */
export function webhookSignature(key: string, nowSeconds: number, body: string): string {
  const mac = createHmac('sha256', key).update(`${nowSeconds}.${body}`).digest('hex');
  return `t=${nowSeconds},v1=${mac}`;
}
