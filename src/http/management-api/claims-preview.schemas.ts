import { z } from 'zod';
import { CLAIM_SOURCES, CLAIM_SWITCHES } from '../../domain/claims-preview/explain-claims.js';

export const claimsPreviewBody = z
  .strictObject({
    userId: z
      .string({ error: 'is required' })
      .min(1, 'is required')
      .max(200, 'is too long')
      .describe('Of the organization, or of one that the project is granted to.'),
    scope: z
      .string({ error: 'must be a string' })
      .max(4096, 'is too long')
      .default('openid profile email')
      .describe('As an authorization request would have it.'),
  })
  .meta({ examples: [{ userId: '327465982374658001', scope: 'openid profile email' }] });

const claims = z.array(
  z.object({
    name: z.string(),
    value: z.unknown(),
    source: z.enum(CLAIM_SOURCES).describe('Where the value comes from.'),
    scopes: z
      .array(z.string())
      .describe('Without any one of these scopes the claim would be missing or say something else.'),
    switches: z
      .array(z.enum(CLAIM_SWITCHES))
      .describe('As scopes: settings of the application and, projectRoleAssertion, of its project.'),
  }),
);

export const claimsPreviewAnswer = z.object({
  scope: z.string().describe('Without what the service does not know.'),
  idToken: claims
    .optional()
    .describe('With scope openid. Beside an access token, as the code flow gives it.'),
  accessToken: claims.optional().describe('Of an application with JWTs; an opaque token says nothing.'),
  userinfo: claims,
  introspection: claims.describe('As the application itself hears it.'),
});
