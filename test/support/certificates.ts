// the generator's own way of finding its parts needs it
import 'reflect-metadata';
import { randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  Extension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
  type JsonGeneralNames,
  type JsonName,
} from '@peculiar/x509';
import type { JWK } from 'jose';
import { readClientCertificate } from '../../src/domain/certificates/client-certificate.js';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;

/** A certificate with its key, which may issue others where it is an authority's. */
export interface TestCertificate {
  readonly pem: string;
  readonly der: Buffer;
  readonly privatePem: string;
  readonly publicJwk: JWK;
  /** As a proxy hands it on (RFC 9440). */
  readonly header: string;
  /** `x5t#S256` of RFC 8705. */
  readonly thumbprint: string;
  readonly keys: webcrypto.CryptoKeyPair;
  readonly subject: string | JsonName;
}

export interface CertificateOptions {
  /** From the top down, as in the certificate. */
  readonly subject?: string | JsonName;
  readonly issuer?: TestCertificate;
  readonly names?: JsonGeneralNames;
  readonly isAuthority?: boolean;
  readonly usages?: readonly string[];
  /** Identifiers of critical extensions that nobody knows. */
  readonly critical?: readonly string[];
  /** From now. */
  readonly days?: readonly [begin: number, end: number];
  readonly keys?: webcrypto.CryptoKeyPair;
  /** That the issuer's key signs with. */
  readonly algorithm?: Readonly<Record<string, unknown>> & { readonly name: string };
}

export async function aCertificate({
  subject = 'C=DE, O=Example, CN=client',
  issuer,
  names,
  isAuthority = false,
  usages,
  critical = [],
  days: [begin, end] = [-1, 30],
  keys: given,
  algorithm = ALGORITHM,
}: CertificateOptions = {}): Promise<TestCertificate> {
  const { subtle } = webcrypto;
  const keys = given ?? (await subtle.generateKey(ALGORITHM, true, ['sign', 'verify']));
  const certificate = await X509CertificateGenerator.create({
    serialNumber: randomBytes(8).toString('hex'),
    subject,
    issuer: issuer?.subject ?? subject,
    notBefore: new Date(Date.now() + begin * DAY_MS),
    notAfter: new Date(Date.now() + end * DAY_MS),
    publicKey: keys.publicKey,
    signingKey: (issuer?.keys ?? keys).privateKey,
    signingAlgorithm: algorithm as never,
    extensions: [
      new BasicConstraintsExtension(isAuthority, undefined, true),
      ...(names === undefined ? [] : [new SubjectAlternativeNameExtension(names)]),
      ...(usages === undefined ? [] : [new ExtendedKeyUsageExtension([...usages])]),
      ...critical.map((type) => new Extension(type, true, Buffer.from([0x05, 0x00]))),
    ],
  });
  const der = Buffer.from(certificate.rawData);
  const pkcs8 = Buffer.from(await subtle.exportKey('pkcs8', keys.privateKey));
  const x509 = new X509Certificate(der);
  return {
    pem: x509.toString(),
    der,
    privatePem: `-----BEGIN PRIVATE KEY-----\n${pkcs8.toString('base64')}\n-----END PRIVATE KEY-----\n`,
    publicJwk: x509.publicKey.export({ format: 'jwk' }),
    header: `:${der.toString('base64')}:`,
    thumbprint: readClientCertificate(der, x509ValidAt(x509))?.thumbprint ?? '',
    keys,
    subject,
  };
}

function x509ValidAt({ validFrom }: X509Certificate): number {
  return Date.parse(validFrom);
}

export async function anAuthority(subject = 'C=DE, O=Example, CN=Example CA'): Promise<TestCertificate> {
  return await aCertificate({ subject, isAuthority: true });
}
