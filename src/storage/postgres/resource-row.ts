import type { ResourceDetails } from '../../domain/shared/details.js';
import type { OrgId } from '../../domain/shared/ids.js';

/** Columns that every state row has. */
export type ResourceRow = {
  org_id: OrgId;
  sequence: string;
  created_at: Date;
  changed_at: Date;
};

export function detailsOf(row: ResourceRow): ResourceDetails {
  return {
    sequence: row.sequence,
    createdAt: row.created_at,
    changedAt: row.changed_at,
    resourceOwner: row.org_id,
  };
}
