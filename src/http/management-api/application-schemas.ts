import { z } from 'zod';
import { changedDetailsSchema, idSchema, readDetailsSchema } from '../shared/answer-schemas.js';

/** Applications as they are answered, for the OpenAPI document; `application-response.ts` makes them. */
const texts = z.array(z.string()).min(1).optional();
const yes = z.boolean().optional();

const complianceShape = {
  noneCompliant: yes,
  complianceProblems: z.array(z.strictObject({ key: z.string(), localizedMessage: z.string() })).optional(),
};

export const applicationSchema = z.strictObject({
  id: idSchema,
  details: readDetailsSchema,
  state: z.enum(['APP_STATE_ACTIVE', 'APP_STATE_INACTIVE']),
  name: z.string(),
  oidcConfig: z
    .strictObject({
      clientId: idSchema,
      redirectUris: texts,
      responseTypes: z.array(z.string()),
      grantTypes: z.array(z.string()),
      appType: z.string(),
      authMethodType: z.string(),
      postLogoutRedirectUris: texts,
      version: z.literal('OIDC_VERSION_1_0'),
      devMode: yes,
      accessTokenType: z.string(),
      accessTokenRoleAssertion: yes,
      idTokenRoleAssertion: yes,
      idTokenUserinfoAssertion: yes,
      idTokenSignedResponseAlg: z.string().optional(),
      clockSkew: z.string().regex(/^[0-5]s$/),
      additionalOrigins: texts,
      allowedOrigins: texts,
      skipNativeAppSuccessPage: yes,
      assertionAudienceIssuerOnly: yes,
      backChannelLogoutUri: z.string().optional(),
      managementAccess: z.enum(['organization', 'instance']).optional(),
      ...complianceShape,
    })
    .optional(),
  apiConfig: z
    .strictObject({ clientId: idSchema, authMethodType: z.string(), assertionAudienceIssuerOnly: yes })
    .optional(),
});

/** Answer of a change to an application's configuration; a secret that it made is shown this once. */
export const changedApplicationSchema = z.strictObject({
  details: changedDetailsSchema,
  clientSecret: z.string().optional(),
  ...complianceShape,
});
