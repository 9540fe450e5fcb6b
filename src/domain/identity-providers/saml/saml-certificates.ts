import { X509Certificate } from 'node:crypto';
import { ApiError } from '../../shared/errors.js';

const SMALLEST_RSA_BITS = 2048;
const LABEL = /-----(BEGIN|END) CERTIFICATE-----/g;

/**
 * A certificate as metadata or a person writes it (PEM, or its base64 alone), in PEM. It carries a key and nothing more: whose it
 * is says who it came from, and its dates warn of the change (SAML V2.0 Metadata Interoperability Profile §2.6.1).
 *
 * @throws ApiError invalid-argument
 */
export function readCertificate(text: string): string {
  const certificate = certificateIn(text);
  if (certificate === undefined) {
    throw new ApiError('invalid-argument', 'certificates must be X.509 certificates in PEM or base64');
  }
  const { publicKey } = certificate;
  const bits = publicKey.asymmetricKeyDetails?.modulusLength ?? 0;
  if (publicKey.asymmetricKeyType !== 'rsa' || bits < SMALLEST_RSA_BITS) {
    throw new ApiError('invalid-argument', 'certificates must have RSA keys of at least 2048 bits');
  }
  return certificate.toString();
}

/** When the last of them expires; undefined for none. */
export function lastExpiry(certificates: readonly string[]): Date | undefined {
  const dates = certificates.map((pem) => Date.parse(certificateIn(pem)?.validTo ?? ''));
  const last = Math.max(...dates.filter((date) => !Number.isNaN(date)));
  return Number.isFinite(last) ? new Date(last) : undefined;
}

function certificateIn(text: string): X509Certificate | undefined {
  const base64 = text.replaceAll(LABEL, '').replaceAll(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined;
  try {
    return new X509Certificate(Buffer.from(base64, 'base64'));
  } catch {
    return undefined;
  }
}
