import { webcrypto } from 'node:crypto';

const ALGORITHM = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
};
/** As long as a provider may last: providers look at the key, and whoever wants another one adds another provider. */
const VALID_YEARS = 20;

export interface OwnKey {
  readonly privateKey: string;
  readonly certificate: string;
}

/**
 * An RSA key, which signs requests and opens what is encrypted for us, and a certificate of its own: what SAML wants keys to come
 * in. Loaded when one is made, which is seldom.
 */
export async function makeOwnKey(now: Date): Promise<string> {
  // its own way of finding its parts needs it
  await import('reflect-metadata');
  const { X509CertificateGenerator } = await import('@peculiar/x509');
  const { subtle } = webcrypto;
  const keys = await subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const notAfter = new Date(now);
  notAfter.setUTCFullYear(notAfter.getUTCFullYear() + VALID_YEARS);
  const certificate = await X509CertificateGenerator.createSelfSigned(
    // nobody looks at the name; one that says something would be out of date some day
    { name: 'CN=identity-service', keys, notBefore: now, notAfter, signingAlgorithm: ALGORITHM },
  );
  const pkcs8 = Buffer.from(await subtle.exportKey('pkcs8', keys.privateKey));
  return `${pemOf('PRIVATE KEY', pkcs8)}${pemOf('CERTIFICATE', Buffer.from(certificate.rawData))}`;
}

/** What `makeOwnKey` wrote. */
export function readOwnKey(bundle: string): OwnKey {
  const at = bundle.indexOf('-----BEGIN CERTIFICATE-----');
  if (at < 1) throw new Error('the key of a SAML provider on file is none');
  return { privateKey: bundle.slice(0, at), certificate: bundle.slice(at) };
}

function pemOf(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
