// SQL by hand: one FULL JOIN lists the applications with a consent, a valid authorization, or both
import { AUTHORIZATION_EPOCH, SUBJECT_EPOCH } from '../tokens/epochs.js';

// an authorization without a live session can be used only by its refresh token, if there is one. Those of a token exchange have no
// session, and without a refresh token they end soon
export const LIST_CONNECTED = {
  name: 'connected-applications-list-of-user',
  text: `
    WITH granted AS (
      SELECT g.application_id, bool_or(r.created_at IS NOT NULL) AS offline,
             max(greatest(g.created_at, r.created_at)) AS last_used_at
      FROM authorizations g
      JOIN users u ON u.id = g.user_id
      JOIN organizations o ON o.id = u.org_id
      JOIN applications a ON a.id = g.application_id
      JOIN organizations ao ON ao.id = a.org_id
      LEFT JOIN LATERAL (
        SELECT t.created_at FROM refresh_tokens t
        JOIN refresh_token_families f ON f.authorization_id = t.authorization_id
        WHERE t.authorization_id = g.id AND t.used_at IS NULL
          AND t.idle_expires_at > app_now() AND f.absolute_expires_at > app_now()
      ) r ON true
      WHERE g.org_id = $1 AND g.user_id = $2 AND g.revoked_at IS NULL
        AND ${SUBJECT_EPOCH} = g.subject_epoch AND ${AUTHORIZATION_EPOCH} = g.client_epoch
        AND (g.lineage IS NULL OR exchange_holds(g.lineage))
        AND (r.created_at IS NOT NULL
          OR EXISTS (SELECT FROM sessions s WHERE s.id = g.session_id AND s.ended_at IS NULL))
      GROUP BY g.application_id
    ), consented AS (
      SELECT application_id, access, changed_at FROM consents WHERE org_id = $1 AND user_id = $2
    )
    SELECT a.id, a.name, ao.name AS "ownerName", c.access, coalesce(g.offline, false) AS offline,
           greatest(g.last_used_at, c.changed_at) AS "lastUsedAt"
    FROM granted g FULL JOIN consented c USING (application_id)
    JOIN applications a ON a.id = application_id
    JOIN organizations ao ON ao.id = a.org_id
    ORDER BY "lastUsedAt" DESC, a.id LIMIT 100`,
};
