import { OIDC_FIELDS } from './claim-mapping.js';
import type { KindRules } from './kind-rules.js';
import { lastExpiry } from './saml-certificates.js';
import type { SamlDestination } from './saml-kind.js';

export function samlRules({ settings }: SamlDestination): KindRules {
  const { entityId, ssoUrl, certificates, metadataUrl, nameIdFormat, subjectAttribute } = settings;
  return {
    // attributes that have a name of their own in OpenID Connect are found by that as well
    fields: OIDC_FIELDS,
    subjects: [entityId ?? '', subjectAttribute ?? nameIdFormat],
    // our own key, which signs requests and opens assertions: nothing of it is ever sent
    secret: { field: 'clientSecret', destination: 'here', require: () => undefined },
    typedUrls: metadataUrl === undefined ? [] : [['metadataUrl', metadataUrl]],
    visitedUrls: ssoUrl === undefined ? [] : [['ssoUrl', ssoUrl]],
    isComplete: entityId !== undefined && ssoUrl !== undefined && certificates.length > 0,
    expiresAt: lastExpiry(certificates),
  };
}
