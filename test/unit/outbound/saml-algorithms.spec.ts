import { expect, it } from 'vitest';
import { requireKnownAlgorithms } from '../../../src/outbound/saml/algorithms.js';
import { parseXml } from '../../../src/outbound/saml/xml.js';

const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const XMLENC = 'http://www.w3.org/2001/04/xmlenc#';

async function look(xml: string): Promise<void> {
  requireKnownAlgorithms(await parseXml(xml));
}

function withPrefixes(list: string): string {
  return `<a xmlns:ec="${EXCLUSIVE}"><Transform Algorithm="${EXCLUSIVE}"><ec:InclusiveNamespaces PrefixList="${list}"/></Transform></a>`;
}

it('lets a canonicalization name the prefixes that it has, and no thousands (S346)', async () => {
  await expect(look(withPrefixes('xs xsi saml samlp ds'))).resolves.toBeUndefined();
  await expect(look(withPrefixes('x '.repeat(5_000)))).rejects.toThrow('too many prefixes');
});

it('lets SHA-1 stand for the padding of a key alone, and nothing else beside it', async () => {
  const method = (inside: string) =>
    `<a xmlns:e="${XMLENC}"><e:EncryptionMethod Algorithm="${XMLENC}rsa-oaep-mgf1p">${inside}</e:EncryptionMethod></a>`;
  await expect(look(method(`<DigestMethod Algorithm="${DSIG}sha1"/>`))).resolves.toBeUndefined();
  await expect(look(method(`<SignatureMethod Algorithm="${DSIG}rsa-sha1"/>`))).rejects.toThrow(
    'not accepted',
  );
  await expect(look(`<a><DigestMethod Algorithm="${DSIG}sha1"/></a>`)).rejects.toThrow('not accepted');
});
