import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  isNamed,
  nameProblem,
  readCertificate,
  type CertificateContents,
  type NameKind,
} from '../../../src/domain/certificates/certificate-names.js';
import { parseDistinguishedName } from '../../../src/domain/certificates/distinguished-name.js';
import { aCertificate, type CertificateOptions } from '../../support/certificates.js';

async function contentsOf(options: CertificateOptions): Promise<CertificateContents> {
  const contents = readCertificate(new X509Certificate((await aCertificate(options)).der));
  if (contents === undefined) throw new Error('it was not read');
  return contents;
}

async function matches(subject: CertificateOptions['subject'], expected: string): Promise<boolean> {
  const options = subject === undefined ? {} : { subject };
  return isNamed(await contentsOf(options), { kind: 'dn', value: expected });
}

describe('a distinguished name', () => {
  it.each([
    ['the lowest first', 'C=DE, O=Example, CN=client', 'CN=client,O=Example,C=DE'],
    ['names of types in any case', 'C=DE, CN=client', 'cn=client,c=DE'],
    ['types by their identifiers', 'C=DE, CN=client', '2.5.4.3=client,2.5.4.6=DE'],
    ['characters that are escaped', [{ CN: ['a,b+c=d'] }], 'CN=a\\,b\\+c\\=d'],
    ['bytes that are escaped (RFC 4514 §4)', [{ CN: ['Lučić'] }], 'CN=Lu\\C4\\8Di\\C4\\87'],
    ['characters beyond ASCII as they are', [{ CN: ['Lučić'] }], 'CN=Lučić'],
    ['spaces at the ends where they are escaped', [{ CN: [' a '] }], 'CN=\\ a\\ '],
    ['a # at the beginning', [{ CN: [{ utf8String: '#41' }] }], 'CN=\\#41'],
    ['a value in DER', [{ CN: [{ utf8String: 'abc' }] }], 'CN=#0c03616263'],
    ['several attributes of one set, in any order', [{ CN: ['a'], OU: ['b'] }], 'OU=b+CN=a'],
    ['a type of its own', [{ '2.5.4.97': ['PSDDE-X-1'] }], 'organizationIdentifier=PSDDE-X-1'],
  ] as const)('is the same with %s', async (_, subject, expected) => {
    expect(await matches(subject as CertificateOptions['subject'], expected)).toBe(true);
  });

  it.each([
    ['the row the other way round', 'C=DE, O=Example, CN=client', 'C=DE,O=Example,CN=client'],
    ['less than all of it', 'C=DE, O=Example, CN=client', 'CN=client'],
    ['more than all of it', 'CN=client', 'CN=client,O=Example'],
    ['the same text in another attribute', 'O=client', 'CN=client'],
    ['another case', 'CN=Client', 'CN=client'],
    [
      'a separator inside a value',
      [{ O: ['Example'] }, { CN: ['client,O=Example'] }],
      'CN=client,O=Example,O=Example',
    ],
    ['a value that looks like two attributes', [{ CN: ['client,O=Example'] }], 'CN=client,O=Example'],
    ['two sets where one is expected', [{ CN: ['a'] }, { OU: ['b'] }], 'OU=b+CN=a'],
    ['the same attribute twice in a set', [{ CN: ['a', 'a'] }], 'CN=a+OU=a'],
    ['a NUL behind the name', [{ CN: ['client\0.evil'] }], 'CN=client'],
    ['text that looks like DER', [{ CN: [{ utf8String: '#0c03616263' }] }], 'CN=#0c03616263'],
  ] as const)('is another one with %s (S288)', async (_, subject, expected) => {
    expect(await matches(subject as CertificateOptions['subject'], expected)).toBe(false);
  });

  it.each([
    '',
    'client',
    'CN=',
    'CN=a,',
    ',CN=a',
    'CN=a, O=b',
    'CN= a',
    'CN=a ',
    'CN=a;O=b',
    'CN="a"',
    'CN=#0',
    'CN=#zz',
    'CN=a\\',
    'CN=\\C4',
    'CN=a\\z',
    'CN=a+CN=b',
    'XX=a',
    '2.05.4=a',
    '3.1=a',
    'CN=a\0b',
  ])('is not %j (RFC 4514 §3)', (text) => {
    expect(parseDistinguishedName(text)).toBeUndefined();
  });
});

describe('an alternative name', () => {
  it.each([
    ['dns', 'client.example.com', { type: 'dns', value: 'client.example.com' }, true],
    ['dns', 'CLIENT.example.com', { type: 'dns', value: 'client.Example.com' }, true],
    ['dns', 'client.example.com', { type: 'dns', value: '*.example.com' }, false],
    ['dns', 'example.com', { type: 'dns', value: 'client.example.com' }, false],
    ['dns', 'client.example.com', { type: 'email', value: 'client.example.com' }, false],
    ['dns', 'client.example.com', { type: 'url', value: 'client.example.com' }, false],
    ['uri', 'spiffe://example.com/client', { type: 'url', value: 'spiffe://example.com/client' }, true],
    ['uri', 'spiffe://example.com/client', { type: 'url', value: 'spiffe://example.com/client/2' }, false],
    ['ip', '10.0.0.1', { type: 'ip', value: '10.0.0.1' }, true],
    ['ip', '10.0.0.1', { type: 'ip', value: '10.0.0.10' }, false],
    ['ip', '2001:db8:0:0::1', { type: 'ip', value: '2001:db8::1' }, true],
    ['ip', '2001:db8::1', { type: 'ip', value: '2001:db8::2' }, false],
    ['email', 'client@EXAMPLE.com', { type: 'email', value: 'client@example.com' }, true],
    ['email', 'client@example.com', { type: 'email', value: 'Client@example.com' }, false],
    ['email', 'client@example.com', { type: 'email', value: 'client@example.com.evil' }, false],
  ] as const)('%s %s in %o: %s', async (kind, value, name, isSame) => {
    expect(isNamed(await contentsOf({ names: [name] }), { kind, value })).toBe(isSame);
  });

  it.each<[NameKind, string]>([
    ['dns', '*.example.com'],
    ['dns', 'a b'],
    ['uri', 'client'],
    ['ip', '10.0.0'],
    ['ip', 'fe80::1%eth0'],
    ['email', 'client'],
    ['dn', 'client'],
  ])('cannot be %s %s', (kind, value) => {
    expect(nameProblem({ kind, value })).toMatch(/^must be /);
  });

  it.each<[NameKind, string]>([
    ['dns', 'client.example.com'],
    ['uri', 'https://example.com/client'],
    ['ip', '::1'],
    ['email', 'a+b@example.com'],
    ['dn', 'CN=a'],
  ])('can be %s %s', (kind, value) => {
    expect(nameProblem({ kind, value })).toBeUndefined();
  });
});
