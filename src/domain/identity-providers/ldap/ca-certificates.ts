import { X509Certificate } from 'node:crypto';

/** Under the labels that OpenSSL takes for a certificate. */
const BLOCK = /-----BEGIN ((?:X509 |TRUSTED )?CERTIFICATE)-----[^-]*-----END \1-----/g;

/** Whether a text is one certificate in PEM, or several, each of which can be read: TLS passes over what follows one that cannot. */
export function areCertificates(pem: string): boolean {
  const certificates = certificatesIn(pem);
  return certificates.length > 0 && !certificates.includes(undefined);
}

/** When the first of them expires: a server whose certificate hangs on that one is not trusted from then on. Undefined for none. */
export function firstExpiry(pem: string): Date | undefined {
  const dates = certificatesIn(pem).map((certificate) => Date.parse(certificate?.validTo ?? ''));
  const first = Math.min(...dates.filter((date) => !Number.isNaN(date)));
  return Number.isFinite(first) ? new Date(first) : undefined;
}

function certificatesIn(pem: string): readonly (X509Certificate | undefined)[] {
  return [...pem.matchAll(BLOCK)].map(([block]) => {
    try {
      return new X509Certificate(block);
    } catch {
      return undefined;
    }
  });
}
