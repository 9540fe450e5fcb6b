import { ProviderRefused } from '../../domain/identity-providers/provider-client.js';
import { attributeOf, elementsIn, isElement, type XmlElement } from './xml.js';

const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
const DSIG_MORE = 'http://www.w3.org/2001/04/xmldsig-more#';
const XMLENC = 'http://www.w3.org/2001/04/xmlenc#';
const XMLENC11 = 'http://www.w3.org/2009/xmlenc11#';
const C14N = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';
const EXCLUSIVE_C14N = 'http://www.w3.org/2001/10/xml-exc-c14n#';

/**
 * The library supports SHA-1, RSA PKCS #1 v1.5 for keys and canonicalizations that keep comments; all are refused before it is called.
 * Most providers use ciphers without authentication: an error that reveals nothing about its cause leaves no oracle.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  SignatureMethod: [
    `${DSIG_MORE}rsa-sha256`,
    `${DSIG_MORE}rsa-sha512`,
    'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
  ],
  DigestMethod: [`${XMLENC}sha256`, `${XMLENC}sha512`],
  CanonicalizationMethod: [EXCLUSIVE_C14N, C14N],
  Transform: [`${DSIG}enveloped-signature`, EXCLUSIVE_C14N, C14N],
  EncryptionMethod: [
    `${XMLENC11}aes128-gcm`,
    `${XMLENC11}aes256-gcm`,
    `${XMLENC}aes128-cbc`,
    `${XMLENC}aes256-cbc`,
    `${XMLENC}rsa-oaep-mgf1p`,
  ],
};
/** Inside of RSA-OAEP nothing depends on collisions, and most providers name no other. */
const OAEP_DIGESTS = [`${DSIG}sha1`, `${DSIG}sha256`, `${DSIG}sha512`];

/**
 * The library looks through the prefixes of a canonicalization for each attribute of a document, before it looks at the signature;
 * honest ones name a few.
 */
const LONGEST_PREFIX_LIST = 500;

/** Every algorithm that a document names, wherever it stands, and what it hands to one. @throws ProviderRefused */
export function requireKnownAlgorithms(root: XmlElement): void {
  for (const element of elementsIn(root)) {
    if (Array.from(element.attributes).some(isLongPrefixList)) {
      throw new ProviderRefused('a canonicalization has too many prefixes');
    }
    if (isElement(element, 'encryption', 'EncryptionMethod')) {
      requireOneOf(element, ALLOWED['EncryptionMethod'] ?? []);
      for (const child of elementsIn(element)) {
        if (child.localName === 'DigestMethod') requireOneOf(child, OAEP_DIGESTS);
      }
      continue;
    }
    const allowed = Object.hasOwn(ALLOWED, element.localName) ? ALLOWED[element.localName] : undefined;
    if (allowed === undefined || isDigestOfEncryption(element)) continue;
    requireOneOf(element, allowed);
  }
}

/** The digest of a key's padding, looked at together with its method. */
function isDigestOfEncryption(element: XmlElement): boolean {
  if (element.localName !== 'DigestMethod') return false;
  const { parentNode } = element as XmlElement & { readonly parentNode?: XmlElement | null };
  return parentNode != null && isElement(parentNode, 'encryption', 'EncryptionMethod');
}

function isLongPrefixList({ localName, value }: XmlElement['attributes'][number]): boolean {
  return localName === 'PrefixList' && value.length > LONGEST_PREFIX_LIST;
}

function requireOneOf(element: XmlElement, allowed: readonly string[]): void {
  const algorithm = attributeOf(element, 'Algorithm');
  if (algorithm === undefined || !allowed.includes(algorithm)) {
    throw new ProviderRefused(`${element.localName} names an algorithm that is not accepted`);
  }
}
