import { expect, it } from 'vitest';
import { rolesWith } from '../../../console/src/app/roles.js';
import { allows, permissionsOf, ROLES } from '../../../src/domain/permissions/permissions.js';

// Whom the console says to ask for: whoever has that role may open the page, and no role that would do is left out.

const OF_ORGANIZATION = new Set(permissionsOf(['ORG_OWNER']));

it.each(permissionsOf(['IAM_OWNER']))('names the roles with %s', (permission) => {
  const scope = OF_ORGANIZATION.has(permission) ? 'ORG_' : 'IAM_';
  expect(rolesWith(permission)).toEqual(
    ROLES.filter((role) => role.startsWith(scope) && allows([role], permission)),
  );
});
