// SQL by hand: sessions are found by the names that identity providers give them, each by an index of its own
import {
  ENDED_AT_PROVIDER_SECONDS,
  type ProviderSession,
  type ProviderSessionByNameId,
  type ProviderSessionEnd,
} from '../../../domain/sessions/sessions.store.js';
import type { IdentityProviderId } from '../../../domain/shared/ids.js';
import { sha256 } from '../../../domain/shared/random.js';
import type { Statement } from '../statement.js';
import { columns } from '../table.js';
import { ProviderSessionEntity } from '../tables/provider-session.entity.js';

export const TAKE_LEFT = {
  name: 'sessions-take-left-at-providers',
  text: `
    WITH found AS (
      SELECT ${columns(ProviderSessionEntity, 'p', ['sessionId', 'providerId', 'subject', 'idTokenSealed', 'dataKeyId'])}, s.auth_time
      FROM provider_sessions p JOIN sessions s ON s.id = p.session_id
      WHERE p.session_id = ANY ($1::text[]) AND p.id_token_sealed IS NOT NULL FOR UPDATE OF p
    ), taken AS (
      UPDATE provider_sessions p SET id_token_sealed = NULL, data_key_id = NULL FROM found f WHERE p.session_id = f."sessionId"
    )
    SELECT * FROM found ORDER BY auth_time DESC, "sessionId"`,
};
/** @param named a condition that an index serves */
const ofProvider = (name: string, named: string): Statement => ({
  name,
  text: `
    SELECT s.id FROM provider_sessions p JOIN sessions s ON s.id = p.session_id
    WHERE p.provider_id = $1 AND ${named} AND s.ended_at IS NULL AND s.auth_time <= to_timestamp($2)`,
});
// a session whose provider sent no session id matches any session id of the subject
export const OF_PROVIDER_BY_SUBJECT = ofProvider(
  'sessions-of-provider-by-subject',
  'p.subject = $3 AND ($4::text IS NULL OR coalesce(p.provider_session, $4) = $4)',
);
export const OF_PROVIDER_BY_SESSION = ofProvider(
  'sessions-of-provider-by-session',
  'p.provider_session = $3',
);

export const NAMED_BY_PROVIDER = ofProvider(
  'sessions-named-by-provider',
  `p.provider_name = $3 AND (cardinality($4::text[]) = 0 OR p.provider_session IS NULL OR p.provider_session = ANY ($4))`,
);

// stored with the hashes of accepted assertions, which are kept for as long; the time of the end is the time of expiry less this time
export const REMEMBER_ENDED = {
  name: 'sessions-remember-ended-at-provider',
  text: `
    INSERT INTO used_assertions AS u (hash, expires_at)
    SELECT hash, to_timestamp($2) + interval '${ENDED_AT_PROVIDER_SECONDS} seconds' FROM unnest($1::bytea[]) AS hash
    UNION ALL
    SELECT hash, app_now() + interval '${ENDED_AT_PROVIDER_SECONDS} seconds' FROM unnest($3::bytea[]) AS hash
    ON CONFLICT (hash) DO UPDATE SET expires_at = greatest(u.expires_at, excluded.expires_at)`,
};
/** SQL: when the session ended, or when we were notified. */
const WHEN = `expires_at - interval '${ENDED_AT_PROVIDER_SECONDS} seconds'`;
// a sign-in there after the end is not ended, even if a provider reuses the session id. When all sessions of a user ended ($5), an
// answer to a request of ours after we were notified is not ended either: two times of our clock, independent of the provider's. This
// also decides for an answer without a time of sign-in
export const HAS_ENDED = {
  name: 'sessions-has-ended-at-provider',
  text: `
    SELECT FROM used_assertions
    WHERE hash = ANY ($1::bytea[]) AND expires_at > app_now()
      AND CASE WHEN hash = $2 THEN coalesce(to_timestamp($3) < ${WHEN}, true)
        WHEN $3 IS NULL THEN EXISTS (
          SELECT FROM used_assertions h WHERE h.hash = $5 AND to_timestamp($4) <= h.${WHEN})
        ELSE to_timestamp($3) < ${WHEN} AND NOT EXISTS (
          SELECT FROM used_assertions h WHERE h.hash = $5 AND to_timestamp($4) > h.${WHEN})
      END`,
};

/** Hashes for a provider's session and for all sessions of that user at the provider. */
export function namesOfSession(of: ProviderSession): {
  readonly named: Buffer | undefined;
  readonly all: Buffer;
} {
  const { providerId, subject, providerSession, providerName } = of;
  const named = (...names: readonly string[]) =>
    providerSession === undefined ? undefined : endedHash(providerId, ...names, providerSession);
  return providerName === undefined
    ? { named: named('session'), all: endedHash(providerId, 'subject', subject) }
    : { named: named('name', providerName), all: endedHash(providerId, 'name', providerName) };
}

export function namesOfEnded(ended: ProviderSessionEnd | ProviderSessionByNameId): readonly Buffer[] {
  const { providerId } = ended;
  if ('providerName' in ended) {
    const { providerName, providerSessions } = ended;
    if (providerSessions.length === 0) return [endedHash(providerId, 'name', providerName)];
    return [...new Set(providerSessions)].map((one) => endedHash(providerId, 'name', providerName, one));
  }
  const { subject, providerSession } = ended;
  if (providerSession !== undefined) return [endedHash(providerId, 'session', providerSession)];
  return subject === undefined ? [] : [endedHash(providerId, 'subject', subject)];
}

export function endsAll(ended: ProviderSessionEnd | ProviderSessionByNameId): boolean {
  return 'providerName' in ended ? ended.providerSessions.length === 0 : ended.providerSession === undefined;
}

/** The key for when we were notified, by our clock; the end itself is by the provider's clock. */
export function heardHash(ended: Buffer): Buffer {
  return sha256(`heard ${ended.toString('base64')}`);
}

function endedHash(providerId: IdentityProviderId, ...names: readonly string[]): Buffer {
  return sha256(JSON.stringify(['ended at provider', providerId, ...names]));
}
