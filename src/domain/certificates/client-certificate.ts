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
/** SHA-2 with RSA and with ECDSA, Ed25519 and Ed448: of the others, whoever can find collisions has certificates of anybody's. */
const SIGNATURES: ReadonlySet<string> = new Set([
  '1.2.840.113549.1.1.11',
  '1.2.840.113549.1.1.12',
  '1.2.840.113549.1.1.13',
  '1.2.840.10045.4.3.2',
  '1.2.840.10045.4.3.3',
  '1.2.840.10045.4.3.4',
  '1.3.101.112',
  '1.3.101.113',
]);
/** RSASSA-PSS says by its parameters which hash it is; without them it is SHA-1. */
const PSS = '1.2.840.113549.1.1.10';
const SHA_2: ReadonlySet<string> = new Set([
  '2.16.840.1.101.3.4.2.1',
  '2.16.840.1.101.3.4.2.2',
  '2.16.840.1.101.3.4.2.3',
]);

function isSoundlySigned({ signatureAlgorithm, signatureHash }: CertificateContents): boolean {
  if (signatureAlgorithm === PSS) return signatureHash !== undefined && SHA_2.has(signatureHash);
  return SIGNATURES.has(signatureAlgorithm);
}

/** One that names no usage is for any. */
function isForClients({ keyUsage }: X509Certificate): boolean {
  const usages = (keyUsage as readonly string[] | undefined) ?? [ANY_USAGE];
  return usages.includes(CLIENT_AUTHENTICATION) || usages.includes(ANY_USAGE);
}

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
  if (contents === undefined || !isSoundlySigned(contents) || !isForClients(x509)) return false;
  return authorities.some(
    (authority) =>
      authority.ca &&
      isForClients(authority) &&
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
