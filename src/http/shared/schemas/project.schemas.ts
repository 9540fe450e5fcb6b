import { z } from 'zod';
import { resourceKey, resourceUriProblem } from '../../../domain/projects/resource-uri.js';
import { name } from '../../../domain/shared/text-schemas.js';
import { detailsOfCreation, detailsOfRecord, shown, shownFlag } from '../answers.js';
import { listSearchBody } from '../lists.js';
import { idSchema } from './answer-schemas.js';
import { stateAnswer, stateFilter } from './state-fields.js';
import { wireEnum } from './wire-enum.js';

const UNSPECIFIED = 'PRIVATE_LABELING_SETTING_UNSPECIFIED';
const ENFORCE = 'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY';
const ALLOW = 'PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY';

const checks = {
  projectRoleAssertion: z.boolean().default(false),
  projectRoleCheck: z.boolean().default(false),
  hasProjectCheck: z.boolean().default(false),
};

/** Empty text is none. */
const resourceUri = z
  .string()
  .superRefine((text, context) => {
    const problem = text === '' ? undefined : resourceUriProblem(text);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  })
  .transform((text) => (text === '' ? null : resourceKey(text)))
  .meta({
    description:
      'By which requests name the project with `resource` (RFC 8707); of one project of its organization alone.',
  });

/** Body that makes a project, or replaces what one says (protocol §8.6). */
export const projectBody = z
  .strictObject({
    name: name(),
    ...checks,
    privateLabelingSetting: wireEnum({
      [UNSPECIFIED]: UNSPECIFIED,
      [ENFORCE]: ENFORCE,
      [ALLOW]: ALLOW,
    }).default(UNSPECIFIED),
    resourceUri: resourceUri.default(null),
    openResource: z.boolean().default(false).meta({
      description:
        'Applications that registered themselves may ask their users for tokens for it, by its resourceUri.',
    }),
  })
  .refine(({ openResource, resourceUri: uri }) => !openResource || uri !== null, {
    path: ['openResource'],
    message: 'needs a resourceUri',
  })
  .meta({ examples: [{ name: 'Shop', projectRoleAssertion: true, projectRoleCheck: false }] });

/** A project as it is read. */
export const projectAnswer = z.object({
  id: idSchema,
  details: detailsOfRecord,
  name: z.string(),
  state: stateAnswer('PROJECT'),
  ...shown(checks),
  privateLabelingSetting: z.string(),
  resourceUri: z.string().optional(),
  ...shown({ openResource: z.boolean() }),
  isOwn: shownFlag("The service's own: it cannot be deactivated, removed or granted."),
});

/** Answer of what makes a project. */
export const createdProjectAnswer = z.object({ id: idSchema, details: detailsOfCreation });

/** Body of `projects/_search`. */
export const projectSearchBody = listSearchBody({
  sortedBy: {
    PROJECT_FIELD_NAME_UNSPECIFIED: 'createdAt',
    PROJECT_FIELD_NAME_ID: undefined,
    PROJECT_FIELD_NAME_CREATION_DATE: 'createdAt',
    PROJECT_FIELD_NAME_CHANGE_DATE: undefined,
    PROJECT_FIELD_NAME_NAME: 'name',
  },
  filters: stateFilter('PROJECT'),
});
