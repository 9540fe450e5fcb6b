import { createHash, webcrypto, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  isIssuedByOneOf,
  readClientCertificate,
} from '../../../src/domain/certificates/client-certificate.js';
import { aCertificate, anAuthority, type CertificateOptions } from '../../support/certificates.js';

const authority = await anAuthority();
const authorities = [new X509Certificate(authority.pem)];

async function isIssued(options: CertificateOptions): Promise<boolean> {
  const { der } = await aCertificate({ issuer: authority, ...options });
  const certificate = readClientCertificate(der, Date.now());
  return certificate !== undefined && isIssuedByOneOf(certificate, authorities, Date.now());
}

describe('a certificate of a client (S288)', () => {
  it('is known by its SHA-256 (RFC 8705 §3.1)', async () => {
    const { der } = await aCertificate();
    const thumbprint = createHash('sha256').update(der).digest('base64url');
    expect(readClientCertificate(der, Date.now())?.thumbprint).toBe(thumbprint);
  });

  it.each([
    ['whose time is over', [-2, -1]],
    ['whose time has not begun', [1, 2]],
  ] as const)('is none %s', async (_, days) => {
    expect(readClientCertificate((await aCertificate({ days })).der, Date.now())).toBeUndefined();
  });

  it('is none where the bytes are something else', () => {
    expect(readClientCertificate(Buffer.from('certificate'), Date.now())).toBeUndefined();
  });

  it.each([
    ['RSASSA-PKCS1-v1_5', 'SHA-1', false],
    ['RSASSA-PKCS1-v1_5', 'SHA-256', true],
    ['RSA-PSS', 'SHA-1', false],
    ['RSA-PSS', 'SHA-256', true],
  ])('counts by the hash that it is signed with: %s with %s', async (name, hash, counts) => {
    const rsa = { name, hash, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) };
    const keys = await webcrypto.subtle.generateKey(rsa, true, ['sign', 'verify']);
    const algorithm = { name, hash, saltLength: 20 };
    const issuer = await aCertificate({ subject: 'CN=RSA', isAuthority: true, keys, algorithm });
    const { der } = await aCertificate({ issuer, algorithm });
    const certificate = readClientCertificate(der, Date.now());
    expect(certificate && isIssuedByOneOf(certificate, [new X509Certificate(issuer.pem)], Date.now())).toBe(
      counts,
    );
  });

  it('is issued by no authority that is for servers alone', async () => {
    const usages = ['1.3.6.1.5.5.7.3.1'];
    const issuer = await aCertificate({ subject: 'CN=Servers', isAuthority: true, usages });
    const { der } = await aCertificate({ issuer });
    const certificate = readClientCertificate(der, Date.now());
    expect(certificate && isIssuedByOneOf(certificate, [new X509Certificate(issuer.pem)], Date.now())).toBe(
      false,
    );
  });

  it('is issued by an authority that is configured', async () => {
    expect(await isIssued({})).toBe(true);
    expect(await isIssued({ usages: ['1.3.6.1.5.5.7.3.2'] })).toBe(true);
  });

  it.each<[string, CertificateOptions]>([
    ['is for servers alone', { usages: ['1.3.6.1.5.5.7.3.1'] }],
    ['says something critical that nobody knows', { critical: ['1.2.3.4.5'] }],
  ])('is not good where it %s', async (_, options) => {
    expect(await isIssued(options)).toBe(false);
  });

  it('is not issued by an authority that is called the same', async () => {
    expect(await isIssued({ issuer: await anAuthority() })).toBe(false);
  });

  it('is not issued by itself', async () => {
    const { der } = await aCertificate();
    const certificate = readClientCertificate(der, Date.now());
    expect(certificate && isIssuedByOneOf(certificate, authorities, Date.now())).toBe(false);
  });

  it('is not issued by a client of the authority', async () => {
    const client = await aCertificate({ issuer: authority, subject: 'CN=client' });
    const certificate = readClientCertificate((await aCertificate({ issuer: client })).der, Date.now());
    const both = [...authorities, new X509Certificate(client.pem)];
    expect(certificate && isIssuedByOneOf(certificate, both, Date.now())).toBe(false);
  });

  it('is not issued by an authority that is bounded in a way that nobody knows', async () => {
    const options = { subject: 'CN=bounded', isAuthority: true };
    for (const [critical, isGood] of [
      [[], true],
      [['2.5.29.30'], false],
    ] as const) {
      const bounded = await aCertificate({ ...options, critical });
      const certificate = readClientCertificate((await aCertificate({ issuer: bounded })).der, Date.now());
      const known = [new X509Certificate(bounded.pem)];
      expect(certificate && isIssuedByOneOf(certificate, known, Date.now())).toBe(isGood);
    }
  });

  it('is not good any more once its authority is not', async () => {
    const { der } = await aCertificate({ issuer: authority, days: [-1, 300] });
    const later = Date.now() + 100 * 86_400_000;
    const certificate = readClientCertificate(der, later);
    expect(certificate && isIssuedByOneOf(certificate, authorities, later)).toBe(false);
  });
});
