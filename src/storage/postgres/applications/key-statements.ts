// SQL by hand: a key is found by the project of its application, which its row does not name
import type { ApplicationKey } from '../../../domain/applications/applications.store.js';
import { pageStatement } from '../page-statement.js';
import { columns, COUNTED_BY, detailsOf } from '../table.js';
import { ApplicationKeyEntity } from '../tables/application-key.entity.js';

const READ = ['id', 'expiresAt', ...COUNTED_BY] as const;
const SELECT = `
  SELECT ${columns(ApplicationKeyEntity, 'k', READ)}, k.created_at, NULL::text AS name FROM application_keys k
  JOIN applications a ON a.org_id = k.org_id AND a.id = k.application_id`;
export const FIND_KEY = {
  name: 'application-keys-find',
  text: `${SELECT} WHERE a.org_id = $1 AND a.project_id = $2 AND a.id = $3 AND k.id = $4`,
};
export const LIST_KEYS = pageStatement('application-keys-list', {
  select: `${SELECT} WHERE a.org_id = $7 AND a.project_id = $8 AND a.id = $9`,
});

export const FIND_LIVE_KEY = {
  name: 'client-assertions-find-key',
  text: `
    SELECT k.public_jwk
    FROM application_keys k
    JOIN applications a ON a.org_id = k.org_id AND a.id = k.application_id AND a.client_id = $1
    WHERE k.id = $2 AND k.expires_at > app_now()`,
};

// a row that has expired and was not cleared away yet stands for an assertion that is dead: its hash may come again
export const USE_ASSERTION = {
  name: 'client-assertions-use',
  text: `
    INSERT INTO used_assertions AS u (hash, expires_at) VALUES ($1, app_now() + make_interval(secs => $2))
    ON CONFLICT (hash) DO UPDATE SET expires_at = excluded.expires_at WHERE u.expires_at <= app_now()`,
};

export type KeyRow = Pick<ApplicationKeyEntity, (typeof READ)[number]>;

export function keyOf(row: KeyRow): ApplicationKey {
  return { id: row.id, expiresAt: row.expiresAt, details: detailsOf(row) };
}
