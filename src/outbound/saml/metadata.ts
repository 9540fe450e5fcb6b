import { ProviderRefused } from '../../domain/identity-providers/provider-client.js';
import type { SamlMetadata } from '../../domain/identity-providers/saml/saml-kind.js';
import {
  attributeOf,
  childrenOf,
  elementsIn,
  isElement,
  NAMESPACES,
  parseXml,
  textOf,
  type XmlElement,
} from './xml.js';

const MOST_TEXT = 2_000;
const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';

/**
 * Metadata of an identity provider (saml-metadata-2.0-os). That it is the right one is said by where it comes from: whoever
 * uploads it, or TLS. @throws ProviderRefused
 */
export async function readIdpMetadata(xml: string, nowMs: number): Promise<SamlMetadata> {
  const root = await parseXml(xml.replace(/^\uFEFF/, '').trim());
  const described = entitiesIn(root);
  const [entity, ...others] = described.filter((one) => descriptorsOf(one).length > 0);
  if (entity === undefined) throw new ProviderRefused('it describes no identity provider of SAML 2.0');
  if (others.length > 0) throw new ProviderRefused('it describes several identity providers');
  for (const element of [root, entity]) requireValid(element, nowMs);
  const [descriptor] = descriptorsOf(entity);
  const entityId = attributeOf(entity, 'entityID');
  if (descriptor === undefined || entityId === undefined || entityId === '' || entityId.length > 1024) {
    throw new ProviderRefused('it has no entityID');
  }
  const ssoUrl = childrenOf(descriptor, 'metadata', 'SingleSignOnService')
    .filter((service) => attributeOf(service, 'Binding') === REDIRECT)
    .map((service) => attributeOf(service, 'Location'))[0];
  const sloUrl = childrenOf(descriptor, 'metadata', 'SingleLogoutService')
    .filter((service) => attributeOf(service, 'Binding') === REDIRECT)
    .map((service) => attributeOf(service, 'Location'))[0];
  // none could be kept, and an address is looked at before
  for (const text of [entityId, ssoUrl ?? '', sloUrl ?? '']) {
    if (/[\p{Cc}\p{Cs}]/u.test(text) || text.length > MOST_TEXT) {
      throw new ProviderRefused('entityID or Location is too long or has control characters');
    }
  }
  if (ssoUrl === undefined) {
    throw new ProviderRefused('it has no single sign-on service with the binding HTTP-Redirect');
  }
  const certificates = childrenOf(descriptor, 'metadata', 'KeyDescriptor')
    .filter((key) => attributeOf(key, 'use') !== 'encryption')
    .flatMap((key) => [...elementsIn(key)].filter((one) => isElement(one, 'signature', 'X509Certificate')))
    .map(textOf);
  if (certificates.length === 0) throw new ProviderRefused('it has no certificate for signatures');
  if (certificates.length > 10) throw new ProviderRefused('it has more than ten certificates');
  // one that says nothing of sign-outs leaves what somebody typed
  return { entityId, ssoUrl, ...(sloUrl !== undefined && { sloUrl }), certificates };
}

/** One entity, or what wraps it in a file of its own. */
function entitiesIn(root: XmlElement): readonly XmlElement[] {
  if (isElement(root, 'metadata', 'EntityDescriptor')) return [root];
  if (isElement(root, 'metadata', 'EntitiesDescriptor'))
    return childrenOf(root, 'metadata', 'EntityDescriptor');
  throw new ProviderRefused('it is no metadata of SAML 2.0');
}

function descriptorsOf(entity: XmlElement): readonly XmlElement[] {
  return childrenOf(entity, 'metadata', 'IDPSSODescriptor').filter((descriptor) =>
    (attributeOf(descriptor, 'protocolSupportEnumeration') ?? '').split(/\s+/).includes(NAMESPACES.protocol),
  );
}

function requireValid(element: XmlElement, nowMs: number): void {
  const until = attributeOf(element, 'validUntil');
  if (until !== undefined && !(Date.parse(until) > nowMs)) throw new ProviderRefused('it is no longer valid');
}
