import { isDeepStrictEqual } from 'node:util';
import { OIDC_FIELDS } from '../claim-mapping.js';
import type { KindRules } from '../kind-rules.js';
import { lastExpiry } from './saml-certificates.js';
import type { SamlDestination, SamlMetadata, SamlSettings, TypedField } from './saml-kind.js';

export function samlRules({ settings }: SamlDestination): KindRules {
  const { entityId, ssoUrl, sloUrl, certificates, metadataUrl, nameIdFormat, subjectAttribute } = settings;
  return {
    // attributes that have a name of their own in OpenID Connect are found by that as well
    fields: OIDC_FIELDS,
    subjects: [entityId ?? '', subjectAttribute ?? nameIdFormat],
    // our own key, which signs requests and opens assertions: nothing of it is ever sent
    secret: { field: 'clientSecret', destination: 'here', require: () => undefined },
    typedUrls: metadataUrl === undefined ? [] : [['metadataUrl', metadataUrl]],
    visitedUrls: [
      ...(ssoUrl === undefined ? [] : [['ssoUrl', ssoUrl] as const]),
      ...(sloUrl === undefined ? [] : [['sloUrl', sloUrl] as const]),
    ],
    isComplete: entityId !== undefined && ssoUrl !== undefined && certificates.length > 0,
    expiresAt: lastExpiry(certificates),
  };
}

export function typedIn({ ssoUrl, sloUrl, certificates }: SamlMetadata): readonly TypedField[] {
  return [
    ...(ssoUrl === undefined ? [] : (['ssoUrl'] as const)),
    ...(sloUrl === undefined ? [] : (['sloUrl'] as const)),
    ...(certificates.length === 0 ? [] : (['certificates'] as const)),
  ];
}

/** A form gives back what was read from metadata: typed is what is another one than before, and what was typed before. */
export function stillTyped(before: SamlSettings, after: SamlSettings): readonly TypedField[] {
  const { typed = [] } = after;
  return typed.filter(
    (field) => before.typed?.includes(field) === true || !isDeepStrictEqual(before[field], after[field]),
  );
}

/** What was typed stands: a certificate that somebody chose is not for whoever serves the metadata to exchange. */
export function readAgain(settings: SamlSettings, metadata: SamlMetadata): SamlSettings {
  const { typed = [] } = settings;
  return {
    ...settings,
    ...metadata,
    ...Object.fromEntries(typed.map((field) => [field, settings[field]])),
  };
}
