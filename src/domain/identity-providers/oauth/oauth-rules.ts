import type { KindRules } from '../kind-rules.js';
import { requireAppleKey } from './apple-client-secret.js';
import type { OAuthDestination } from './oauth-kinds.js';
import { protocolOf } from './presets.js';

export function oauthRules(plan: OAuthDestination): KindRules {
  const protocol = protocolOf(plan);
  const { secretExpirationDate } = plan.settings;
  return {
    fields: protocol.fields,
    subjects: subjectsOf(plan),
    secret:
      protocol.authentication === 'none'
        ? undefined
        : {
            field: 'clientSecret',
            destination: secretDestination(plan),
            require: (secret) => plan.kind === 'apple' && requireAppleKey(secret),
          },
    typedUrls: typedUrls(plan),
    isComplete: true,
    expiresAt: secretExpirationDate === undefined ? undefined : new Date(secretExpirationDate),
  };
}

function subjectsOf(plan: OAuthDestination): readonly string[] {
  const protocol = protocolOf(plan);
  if (protocol.protocol === 'oidc') {
    // subjects are pairwise: per client at Microsoft, per team at Apple, where a client belongs to one team
    return [protocol.issuer, plan.kind === 'microsoft' || plan.kind === 'apple' ? protocol.clientId : ''];
  }
  return [protocol.userinfoEndpoint, protocol.subjectClaim];
}

/** Everything of a plan that says where its secret goes: whoever changes it must know the secret. */
function secretDestination(plan: OAuthDestination): string {
  const protocol = protocolOf(plan);
  const { clientId, authentication } = protocol;
  const where = protocol.protocol === 'oidc' ? protocol.issuer : protocol.tokenEndpoint;
  // the client secret JWT names the team and the key
  const signed = plan.kind === 'apple' && [plan.settings.teamId, plan.settings.keyId];
  return JSON.stringify([plan.kind, where, clientId, authentication, signed]);
}

/** The addresses of a plan that somebody typed, by their field. */
function typedUrls(plan: OAuthDestination): readonly (readonly [field: string, url: string])[] {
  switch (plan.kind) {
    case 'oidc':
    case 'gitlab':
      return [['issuer', plan.settings.issuer]];
    case 'oauth2': {
      const { authorizationEndpoint, tokenEndpoint, userinfoEndpoint, emailsEndpoint } = plan.settings;
      return [
        ['authorizationEndpoint', authorizationEndpoint],
        ['tokenEndpoint', tokenEndpoint],
        ['userinfoEndpoint', userinfoEndpoint],
        ...(emailsEndpoint === undefined ? [] : [['emailsEndpoint', emailsEndpoint] as const]),
      ];
    }
    case 'google':
    case 'microsoft':
    case 'apple':
    case 'github':
    case 'linkedin':
      return [];
  }
}
