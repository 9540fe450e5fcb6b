import { bodyReader, choice, flag, name } from './api-fields.js';

const UNSPECIFIED = 'PRIVATE_LABELING_SETTING_UNSPECIFIED';
const ENFORCE = 'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY';
const ALLOW = 'PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY';

/** Body that makes a project, or replaces what one says (protocol §8.6). */
export const readProject = bodyReader({
  name: name(),
  projectRoleAssertion: flag(),
  projectRoleCheck: flag(),
  hasProjectCheck: flag(),
  privateLabelingSetting: choice({
    [UNSPECIFIED]: UNSPECIFIED,
    [ENFORCE]: ENFORCE,
    [ALLOW]: ALLOW,
  }).default(UNSPECIFIED),
});
