import type { MadeCredential } from '../../members/credentials.store.js';
import type { Acting } from '../../permissions/acting.js';
import type { OrgId } from '../../shared/ids.js';
import type { OrganizationItem } from '../records/organization-items.js';

export interface ItemPlace extends Acting {
  readonly orgId: OrgId;
}

export type Item<Type extends OrganizationItem['type']> = Extract<OrganizationItem, { readonly type: Type }>;

/** `there`: exactly so, already. `ended`: added, and a member's new roles ended what a lower rank had made. */
export type Added = 'added' | 'there' | { readonly ended: readonly MadeCredential[] };

export function expiryOf({ expiresAt }: { readonly expiresAt?: string | undefined }): Date | undefined {
  return expiresAt === undefined ? undefined : new Date(expiresAt);
}
