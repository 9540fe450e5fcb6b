import { z } from 'zod';
import { idSchema } from '../shared/answer-schemas.js';

const object = z.record(z.string(), z.unknown()).optional();
const objects = z.array(z.record(z.string(), z.unknown())).optional();

/**
 * An organization as it is exported and imported (protocol §2), so that generated clients have its fields. `DataItems`
 * reads what stands in them; a field that is not listed costs itself, not the import.
 */
export const organizationDataSchema = z.looseObject({
  orgId: idSchema,
  org: object,
  orgState: z.string().optional(),
  passwordComplexityPolicy: object,
  lockoutPolicy: object,
  loginPolicy: object,
  labelPolicy: object,
  privacyPolicy: object,
  domains: objects,
  projects: objects,
  projectRoles: objects,
  oidcApps: objects,
  apiApps: objects,
  humanUsers: objects,
  machineUsers: objects,
  userMetadata: objects,
  machineKeys: objects,
  appKeys: objects,
  projectGrants: objects,
  userGrants: objects,
  orgMembers: objects,
});
