import type { ConvertedHuman } from '../converted-human.js';
import type { SourceLink } from '../provider-links.js';
import { asForeignId, asList, asObject, asText, type JsonObject } from '../values.js';

/** Auth0's own: passwords, and codes by e-mail and SMS. */
const OWN = new Set(['auth0', 'email', 'sms']);
/** Strategies that put the name of the connection before the id of the user: `oidc|acme|248289761001`. */
const NAMES_CONNECTION = new Set(['oidc', 'samlp', 'oauth2', 'adfs', 'ad', 'okta', 'pingfederate']);

/** Whether the user signs in by codes alone. */
export function signsInByCodes(userId: string): boolean {
  return userId.startsWith('email|') || userId.startsWith('sms|');
}

/** Who the user is in a database of Auth0, which has their password. */
export function databaseIdentityOf(user: JsonObject): JsonObject | undefined {
  return asList(user['identities'])
    .map(asObject)
    .find((identity) => identity?.['provider'] === 'auth0');
}

/** A provider goes by its connection, since there may be many of one strategy. */
export function linksOf(user: JsonObject, { userId, email }: ConvertedHuman): readonly SourceLink[] {
  const identities = asList(user['identities']).map((one) => asObject(one) ?? {});
  if (identities.length === 0) return userId === undefined ? [] : linkOfId(userId, email.email);
  return identities.flatMap((identity) => {
    const provider = asText(identity['provider']);
    if (provider !== undefined && OWN.has(provider)) return [];
    const alias = asText(identity['connection']) ?? provider;
    // only what was linked to an account afterwards has a profile of its own
    const profile = asObject(identity['profileData']);
    return {
      alias,
      subject: withoutConnection(asForeignId(identity['user_id']), alias),
      displayName:
        profile === undefined ? email.email : (asText(profile['email']) ?? asText(profile['name'])),
    };
  });
}

/** Of an export without identities, whose first one is in the id of the user. */
function linkOfId(userId: string, displayName: string): readonly SourceLink[] {
  const [strategy = '', ...rest] = userId.split('|');
  if (rest.length === 0 || OWN.has(strategy)) return [];
  const [connection, ...others] = rest;
  if (others.length > 0 && NAMES_CONNECTION.has(strategy))
    return [{ alias: connection, subject: others.join('|'), displayName }];
  return [{ alias: strategy, subject: rest.join('|'), displayName }];
}

function withoutConnection(id: string | undefined, alias: string | undefined): string | undefined {
  return alias !== undefined && id?.startsWith(`${alias}|`) === true ? id.slice(alias.length + 1) : id;
}
