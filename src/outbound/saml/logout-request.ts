import { sign, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { ProviderRefused } from '../../domain/identity-providers/provider-client.js';
import type { SamlLogout } from '../../domain/identity-providers/saml/saml-client.js';
import type {
  SamlSettings,
  ServiceProviderAddresses,
} from '../../domain/identity-providers/saml/saml-kind.js';
import { requireKnownAlgorithms } from './algorithms.js';
import { qualifiedName, SKEW_MS } from './assertion.js';
import {
  attributeOf,
  childrenOf,
  decodeXml,
  isElement,
  onlyChild,
  parseXml,
  textOf,
  verifiedXml,
  type XmlElement,
} from './xml.js';

/**
 * A LogoutRequest is made for the browser that takes it here. One is refused after that time, whatever it says of itself, and its
 * id is remembered longer.
 */
const OLDEST_MS = 600_000;
const MOST_INFLATED = 64 * 1024;
const LONGEST_ID = 255;
const MOST_SESSIONS = 100;
/** saml-bindings-2.0-os §3.4.4.1 names them by these addresses; SHA-1 is none of them. */
const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
const HASHES: Readonly<Record<string, string>> = {
  [RSA_SHA256]: 'sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512': 'sha512',
};
const inflated = promisify(inflateRaw);

/**
 * Binding HTTP-Redirect: the signature is over the parameters as they were encoded, so they are read from the very bytes that it
 * is over, each by its whole name and once. Nothing is inflated, and nothing parsed, before it is right.
 *
 * @throws ProviderRefused
 */
export async function signedByQuery(
  query: string,
  certificates: readonly string[],
): Promise<{ readonly request: XmlElement; readonly relayState: string | undefined }> {
  const raw = rawParameters(query);
  const value = (name: string): string | undefined => decoded(raw.get(name));
  const [message, algorithm, signature] = [value('SAMLRequest'), value('SigAlg'), value('Signature')];
  if (message === undefined || algorithm === undefined || signature === undefined) {
    throw new ProviderRefused('the request is not signed');
  }
  const encoding = value('SAMLEncoding');
  if (encoding !== undefined && encoding !== 'urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE') {
    throw new ProviderRefused('the request is of another encoding');
  }
  const hash = Object.hasOwn(HASHES, algorithm) ? HASHES[algorithm] : undefined;
  if (hash === undefined) throw new ProviderRefused('SigAlg names an algorithm that is not accepted');
  const signed = ['SAMLRequest', 'RelayState', 'SigAlg']
    .flatMap((name) => (raw.has(name) ? [`${name}=${raw.get(name)}`] : []))
    .join('&');
  const isGood = certificates.some((key) =>
    verify(hash, Buffer.from(signed), key, Buffer.from(signature, 'base64')),
  );
  if (!isGood) throw new ProviderRefused('Invalid signature');
  return { request: await parseXml(await unpacked(message)), relayState: value('RelayState') };
}

/**
 * Binding HTTP-POST: the signature stands in the document. What is read afterwards is what was signed and nothing beside it.
 * @throws ProviderRefused
 */
export async function signedByForm(posted: string, certificates: readonly string[]): Promise<XmlElement> {
  const xml = decodeXml(posted);
  const root = await parseXml(xml);
  if (!isElement(root, 'protocol', 'LogoutRequest')) throw new ProviderRefused('it is no LogoutRequest');
  requireKnownAlgorithms(root);
  const signed = await verifiedXml(xml, root, certificates);
  if (signed === undefined) throw new ProviderRefused('Invalid signature');
  return await parseXml(signed);
}

/**
 * What it says (saml-core-2.0-os §3.7.1), of a signed document: that it is for this address, of this provider, and new. The
 * address is required, so that what a provider signed for another service ends nothing here.
 *
 * @throws ProviderRefused
 */
export function readLogoutRequest(
  request: XmlElement,
  {
    settings,
    addresses,
    nowMs,
  }: {
    readonly settings: SamlSettings;
    readonly addresses: ServiceProviderAddresses;
    readonly nowMs: number;
  },
): SamlLogout {
  if (!isElement(request, 'protocol', 'LogoutRequest')) throw new ProviderRefused('it is no LogoutRequest');
  const id = attributeOf(request, 'ID') ?? '';
  if (id === '' || id.length > LONGEST_ID) throw new ProviderRefused('the request has no ID');
  if (attributeOf(request, 'Destination') !== addresses.logoutUrl) {
    throw new ProviderRefused('the request is for another address');
  }
  if (textOf(onlyChild(request, 'assertion', 'Issuer')) !== settings.entityId) {
    throw new ProviderRefused('the request is of another issuer');
  }
  const issuedAtMs = Date.parse(attributeOf(request, 'IssueInstant') ?? '');
  const end = attributeOf(request, 'NotOnOrAfter');
  const isNew = issuedAtMs <= nowMs + SKEW_MS && issuedAtMs + OLDEST_MS + SKEW_MS > nowMs;
  if (!isNew || (end !== undefined && !(Date.parse(end) + SKEW_MS > nowMs))) {
    throw new ProviderRefused('the request is too old, or of a time that is to come');
  }
  const name = qualifiedName(onlyChild(request, 'assertion', 'NameID'), settings, addresses);
  const sessions = childrenOf(request, 'protocol', 'SessionIndex').map(textOf);
  if (sessions.length > MOST_SESSIONS) throw new ProviderRefused('there are too many sessions');
  return { id, name, sessions, issuedAt: Math.floor(issuedAtMs / 1000), relayState: undefined };
}

/**
 * An answer by HTTP-Redirect. RelayState is the provider's and may be any text; the library writes some characters otherwise than it
 * signs them, and browsers do so too, so each of those is encoded here.
 */
export function signedAnswer(
  sloUrl: string,
  message: string,
  relayState: string | undefined,
  privateKey: string,
): string {
  const signed = [
    ['SAMLResponse', message] as const,
    ...(relayState === undefined ? [] : [['RelayState', relayState] as const]),
    ['SigAlg', RSA_SHA256] as const,
  ]
    .map(([name, value]) => `${name}=${encoded(value)}`)
    .join('&');
  const signature = sign('sha256', Buffer.from(signed), privateKey).toString('base64');
  const url = new URL(sloUrl);
  url.hash = '';
  const place = url.search === '' ? `${url.origin}${url.pathname}?` : `${url.href}&`;
  return `${place}${signed}&Signature=${encoded(signature)}`;
}

function encoded(value: string): string {
  return encodeURIComponent(value).replaceAll(
    /[!'()*~]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** As they stand, each once. @throws ProviderRefused */
function rawParameters(query: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const pair of query.split('&')) {
    const at = pair.indexOf('=');
    const name = at === -1 ? pair : pair.slice(0, at);
    if (found.has(name)) throw new ProviderRefused('a parameter is repeated');
    found.set(name, at === -1 ? '' : pair.slice(at + 1));
  }
  return found;
}

/** @throws ProviderRefused */
function decoded(raw: string | undefined): string | undefined {
  if (raw === undefined) return undefined;
  try {
    return decodeURIComponent(raw.replaceAll('+', ' '));
  } catch {
    throw new ProviderRefused('a parameter is not encoded as it must be');
  }
}

/** No more than an honest request has: a hundred bytes can stand for a hundred thousand. @throws ProviderRefused */
async function unpacked(message: string): Promise<string> {
  try {
    const bytes = await inflated(Buffer.from(message, 'base64'), { maxOutputLength: MOST_INFLATED });
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ProviderRefused('the request is not packed as it must be');
  }
}
