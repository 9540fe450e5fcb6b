// SQL by hand: columns and conditions that the statements for codes and refresh tokens share
import type { Actor } from '../../../domain/authorizations/actor.js';
import type {
  AccessTokenType,
  VerifiedAuthorization,
} from '../../../domain/authorizations/authorizations.store.js';
import type { AuthorizationId, SessionId, UserId } from '../../../domain/shared/ids.js';
import { remainingAudience } from '../tokens/audience-rule.js';
import { AUTHORIZATION_EPOCH, SUBJECT_EPOCH } from '../tokens/epochs.js';

// most authorizations are only for their application's own project; other projects may have been withdrawn since
const AUDIENCE = `CASE
  WHEN g.lineage IS NULL AND g.audience = ARRAY[(SELECT ga.project_id FROM applications ga WHERE ga.id = g.application_id)]
  THEN g.audience ELSE ${remainingAudience('g.audience', {
    orgId: '(SELECT ga.org_id FROM applications ga WHERE ga.id = g.application_id)',
    since: 'g.created_at',
  })} END`;
export const VERIFIED_COLUMNS = `
  g.id AS authorization_id, g.user_id, g.subject_epoch, array_to_string(g.scopes, ' ') AS scopes,
  array_to_string(${AUDIENCE}, ' ') AS audience, floor(extract(epoch FROM g.auth_time))::float8 AS auth_time,
  array_to_string(g.amr, ' ') AS amr, g.acr, g.claims -> 'id_token' AS id_token_claims, g.actor,
  g.access_token_type`;
export const VERIFIED_NAMES =
  'authorization_id, user_id, subject_epoch, scopes, audience, auth_time, amr, acr, id_token_claims, actor, access_token_type, session_id';

// the user and the client must be active, with the same epochs; for codes and refresh tokens
export const SUBJECT_AND_CLIENT_ALIVE = `
  u.id = g.user_id AND u.state = 'active'
  AND o.id = u.org_id AND o.state = 'active' AND ${SUBJECT_EPOCH} = g.subject_epoch
  AND a.id = g.application_id AND ao.id = a.org_id AND ${AUTHORIZATION_EPOCH} = g.client_epoch
  AND (g.lineage IS NULL OR exchange_holds(g.lineage))`;

export type VerifiedRow = {
  access_token_type: AccessTokenType | null;
  authorization_id: AuthorizationId;
  user_id: UserId;
  subject_epoch: number;
  scopes: string;
  audience: string;
  auth_time: number;
  amr: string;
  acr: string | null;
  id_token_claims: string[] | null;
  actor: Actor | null;
  session_id: SessionId | null;
  nonce?: string | null;
};

function words(text: string): readonly string[] {
  return text === '' ? [] : text.split(' ');
}

export function toVerified(row: VerifiedRow): VerifiedAuthorization {
  return {
    authorizationId: row.authorization_id,
    userId: row.user_id,
    subjectEpoch: row.subject_epoch,
    scopes: words(row.scopes),
    audience: words(row.audience),
    authTime: row.auth_time,
    amr: words(row.amr),
    idTokenClaims: row.id_token_claims ?? [],
    ...(row.actor === null ? {} : { actor: row.actor }),
    ...(row.access_token_type === null ? {} : { accessTokenType: row.access_token_type }),
    ...(row.acr === null ? {} : { acr: row.acr }),
    ...(row.session_id === null ? {} : { sessionId: row.session_id }),
    // a refreshed ID token carries no nonce (OpenID Connect Core §12.2): only codes select it
    ...(row.nonce == null ? {} : { nonce: row.nonce }),
  };
}
