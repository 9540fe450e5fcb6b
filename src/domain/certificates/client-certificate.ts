import { createHash, X509Certificate } from 'node:crypto';
import { readCertificate, type CertificateContents } from './certificate-names.js';

/** A certificate whose private key the sender of a request has shown to have, in the TLS handshake with a proxy. */
export interface ClientCertificate {
  readonly x509: X509Certificate;
  /** SHA-256 of it in DER, as base64url (RFC 8705 §3.1). */
  readonly thumbprint: string;
}

/**
 * Undefined for what is no certificate, and for one whose time has not begun or is over: such a one is as good as none,
 * whoever has issued it.
 */
export function readClientCertificate(der: Buffer, nowMs: number): ClientCertificate | undefined {
  try {
    const x509 = new X509Certificate(der);
    if (!isWithinItsTime(x509, nowMs)) return undefined;
    return { x509, thumbprint: createHash('sha256').update(x509.raw).digest('base64url') };
  } catch {
    return undefined;
  }
}

function isWithinItsTime({ validFrom, validTo }: X509Certificate, nowMs: number): boolean {
  return Date.parse(validFrom) <= nowMs && nowMs <= Date.parse(validTo);
}

const CLIENT_AUTHENTICATION = '1.3.6.1.5.5.7.3.2';
const ANY_USAGE = '2.5.29.37.0';
/** MD5 and SHA-1 with RSA, SHA-1 with ECDSA and with DSA: whoever can find collisions has certificates of anybody's. */
const BROKEN_SIGNATURES: ReadonlySet<string> = new Set([
  '1.2.840.113549.1.1.4',
  '1.2.840.113549.1.1.5',
  '1.2.840.10045.4.1',
  '1.2.840.10040.4.3',
]);

/**
 * Whether one of the authorities has issued it, itself: a certificate between the two would have to be among them (RFC 5280
 * §6, for a path of that length). That it was revoked is not known here.
 *
 * @param authorities those that are past their time, or bounded in a way that is not known here, do not count
 */
export function isIssuedByOneOf(
  { x509 }: ClientCertificate,
  authorities: readonly X509Certificate[],
  nowMs: number,
): boolean {
  const contents = understood(x509);
  if (contents === undefined || BROKEN_SIGNATURES.has(contents.signatureAlgorithm)) return false;
  // one that names no usage is for any
  const usages = (x509.keyUsage as readonly string[] | undefined) ?? [ANY_USAGE];
  if (!usages.includes(CLIENT_AUTHENTICATION) && !usages.includes(ANY_USAGE)) return false;
  return authorities.some(
    (authority) =>
      authority.ca &&
      understood(authority) !== undefined &&
      isWithinItsTime(authority, nowMs) &&
      x509.checkIssued(authority) &&
      x509.verify(authority.publicKey),
  );
}

/** Undefined where it says in a way that is not known how far it goes; of an authority, for which names it may issue. */
function understood(certificate: X509Certificate): CertificateContents | undefined {
  const contents = readCertificate(certificate);
  return contents?.unknownCritical.length === 0 ? contents : undefined;
}
