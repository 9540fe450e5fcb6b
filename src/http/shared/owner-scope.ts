import type { OrgId } from '../../domain/shared/ids.js';
import type { ApiCall } from './api-call.js';

/** Whose things a controller is about: those of the organization that the call acts in, or the instance's. */
export type OwnerScope = 'organization' | 'instance';

/** Undefined for the instance, whichever organization the call acts in. */
export function orgIn(scope: OwnerScope, orgId: OrgId): OrgId | undefined {
  return scope === 'organization' ? orgId : undefined;
}

/** As things of either kind are stored: null for the instance. */
export function ownerIn(scope: OwnerScope, orgId: OrgId): OrgId | null {
  return orgIn(scope, orgId) ?? null;
}

/** The change of a thing of the scope that a call asks for. */
export function changeIn<Id>(scope: OwnerScope, { orgId, caller }: ApiCall, id: Id) {
  return { orgId: ownerIn(scope, orgId), id, actorId: caller };
}
