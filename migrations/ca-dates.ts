import { X509Certificate } from 'node:crypto';

const BLOCK = /-----BEGIN ((?:X509 |TRUSTED )?CERTIFICATE)-----[^-]*-----END \1-----/g;

/** When the first certificate of a text in PEM expires; undefined where it has none that can be read. */
export function firstExpiryIn(pem: string): Date | undefined {
  const dates = [...pem.matchAll(BLOCK)].flatMap(([block]) => expiryOf(block));
  return dates.length === 0 ? undefined : new Date(Math.min(...dates));
}

/** Nothing of what cannot be read, such as text that was kept though only the certificate before it counted. */
function expiryOf(block: string): readonly number[] {
  try {
    return [Date.parse(new X509Certificate(block).validTo)].filter((date) => !Number.isNaN(date));
  } catch {
    return [];
  }
}
