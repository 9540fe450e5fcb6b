import type { OrgId } from '../../domain/shared/ids.js';

/** Whose things a controller is about: those of the organization that the call acts in, or the instance's. */
export type Scope = 'organization' | 'instance';

/** Undefined for the instance, whichever organization the call acts in. */
export function orgIn(scope: Scope, orgId: OrgId): OrgId | undefined {
  return scope === 'organization' ? orgId : undefined;
}
