import { z } from 'zod';
import { isClientId } from '../../domain/applications/application.js';
import { camelCase } from '../../domain/imports/formats/data-orgs-scanner.js';
import type { ClientIdentity, OrganizationItem } from '../../domain/imports/records/organization-items.js';
import { ApiError } from '../../domain/shared/errors.js';
import { readPublicKey } from '../../domain/signing-keys/assertion-key.js';
import { bodyReader, choice, flag } from '../shared/api-fields.js';
import { newApiApplicationBody, newOidcApplicationBody } from '../shared/application.schemas.js';
import { checkBody } from '../shared/body.pipe.js';
import { memberReader } from '../shared/member-body.js';
import { readDomain, readOrganization } from '../shared/organization-body.js';
import { brandingPolicyBody, lockoutPolicyBody, passwordPolicyBody } from '../shared/policy.schemas.js';
import { readProject } from '../shared/project-body.js';
import { optionalId, readNewProjectGrant, readNewRole, readRoleAssignment } from '../shared/role-bodies.js';
import { readNewKey } from '../shared/service-user-bodies.js';

/** The form of a client secret that comes along as a hash: SHA-256, hexadecimal. */
export const SECRET_PREFIX = 'sha256:';
const SECRET = /^sha256:[0-9a-f]{64}$/;

const id = z
  .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') })
  .regex(/^[!-~]{1,200}$/, 'is not an id');

/** At rest or not; what says nothing is awake. */
function stateOf(kind: 'PROJECT' | 'APP' | 'USER_GRANT') {
  return choice({
    [`${kind}_STATE_UNSPECIFIED`]: 'active',
    [`${kind}_STATE_ACTIVE`]: 'active',
    [`${kind}_STATE_INACTIVE`]: 'inactive',
  }).default('active');
}

const readHash = bodyReader({
  value: z
    .string({ error: 'must be a string' })
    .regex(SECRET, `must be ${SECRET_PREFIX} and 64 hexadecimal digits`),
});

/** Beside `app`, so that a client goes on working here as it did elsewhere. */
const clientFields = {
  clientId: z.string({ error: 'must be a string' }).refine(isClientId, 'is not a client id').optional(),
  hashedClientSecret: z.unknown().optional(),
  state: stateOf('APP'),
};

const readProjectItem = bodyReader({
  projectId: id,
  project: z.unknown().optional(),
  state: stateOf('PROJECT'),
});
const readRoleItem = bodyReader({
  projectId: id,
  roleKey: z.unknown().optional(),
  displayName: z.unknown().optional(),
  group: z.unknown().optional(),
});
const readAppItem = bodyReader({ appId: id, app: z.unknown().optional(), ...clientFields });
const readProjectOfApp = z.looseObject({ projectId: id });
const keyFields = {
  type: z.unknown().optional(),
  expirationDate: z.unknown().optional(),
  publicKey: z.unknown().optional(),
};
const readAppKeyItem = bodyReader({
  id,
  projectId: id,
  appId: id,
  // known of the application
  clientId: z.unknown().optional(),
  ...keyFields,
});
const readMachineKeyItem = bodyReader({ keyId: id, userId: id, ...keyFields });
const readProjectGrantItem = bodyReader({ grantId: id, projectGrant: z.unknown().optional() });
const readProjectOfGrant = z.looseObject({ projectId: id });
const readGrantItem = bodyReader({
  userId: id,
  projectId: id,
  projectGrantId: optionalId,
  roleKeys: z.unknown().optional(),
  state: stateOf('USER_GRANT'),
});
const readMemberItem = bodyReader({ userId: id, roles: z.unknown().optional() });
const readDomainItem = bodyReader({
  orgId: z.string().optional(),
  domainName: z.unknown().optional(),
  isVerified: flag(),
  isPrimary: flag(),
  validationType: z.unknown().optional(),
});
const readOrgRoles = memberReader('ORG_');

/** What stands in `app` beside what the call that makes one takes. */
function readApp(value: unknown) {
  const { appId, app, clientId, hashedClientSecret, state } = readAppItem(value);
  const { projectId, project_id: alias, ...body } = (app ?? {}) as Record<string, unknown>;
  const named = readProjectOfApp.safeParse({ projectId: projectId ?? alias });
  if (!named.success) throw new ApiError('invalid-argument', 'app.projectId is required');
  const secretHash =
    hashedClientSecret === undefined
      ? undefined
      : readHash(hashedClientSecret).value.slice(SECRET_PREFIX.length);
  const identity: ClientIdentity = { clientId, secretHash, ...(state === 'inactive' && { inactive: true }) };
  return { appId, projectId: named.data.projectId, body, identity };
}

function readKey(fields: {
  readonly type?: unknown;
  readonly expirationDate?: unknown;
  readonly publicKey?: unknown;
}) {
  const { expirationDate, publicKey } = readNewKey(fields);
  if (publicKey === undefined) throw new ApiError('invalid-argument', 'publicKey is required');
  return { publicJwk: readPublicKey(publicKey), expiresAt: expirationDate?.toISOString() };
}

/** Each is read by the rules of the call that makes such a thing by itself. @throws ApiError invalid-argument */
export const readItem = {
  org: (value: unknown) => readOrganization(value),
  domain: (value: unknown) => {
    const { domainName, isPrimary, isVerified } = readDomainItem(value);
    return { domain: readDomain({ domain: domainName }).domain, isPrimary, isVerified };
  },
  project: (value: unknown) => {
    const { projectId, project, state } = readProjectItem(value);
    return { projectId, project: readProject(project), inactive: state === 'inactive' };
  },
  role: (value: unknown): OrganizationItem => {
    const { projectId, ...role } = readRoleItem(value);
    const { roleKey: key, displayName, group } = readNewRole(role);
    return { type: 'project_role', projectId, role: { key, displayName, group } };
  },
  oidcApp: (value: unknown): OrganizationItem => {
    const { appId, projectId, body, identity } = readApp(value);
    const { name, ...config } = checkBody(newOidcApplicationBody, body);
    return { type: 'oidc_app', appId, projectId, name, config, ...identity };
  },
  apiApp: (value: unknown): OrganizationItem => {
    const { appId, projectId, body, identity } = readApp(value);
    const { name, ...config } = checkBody(newApiApplicationBody, body);
    return { type: 'api_app', appId, projectId, name, config, ...identity };
  },
  appKey: (value: unknown): OrganizationItem => {
    const { id: keyId, projectId, appId, clientId: _, ...fields } = readAppKeyItem(value);
    return { type: 'app_key', keyId, projectId, appId, ...readKey(fields) };
  },
  machineKey: (value: unknown): OrganizationItem => {
    const { keyId, userId, ...fields } = readMachineKeyItem(value);
    return { type: 'machine_user_key', keyId, userId, ...readKey(fields) };
  },
  projectGrant: (value: unknown): OrganizationItem => {
    const { grantId, projectGrant } = readProjectGrantItem(value);
    const { projectId, project_id: alias, ...body } = (projectGrant ?? {}) as Record<string, unknown>;
    const named = readProjectOfGrant.safeParse({ projectId: projectId ?? alias });
    if (!named.success) throw new ApiError('invalid-argument', 'projectGrant.projectId is required');
    return { type: 'project_grant', grantId, ...named.data, ...readNewProjectGrant(body) };
  },
  grant: (value: unknown): OrganizationItem => {
    const { userId, projectId, projectGrantId, roleKeys, state } = readGrantItem(value);
    const keys = readRoleAssignment({ roleKeys }).roleKeys;
    const resting = state === 'inactive' ? { inactive: true as const } : {};
    return { type: 'user_grant', userId, projectId, projectGrantId, roleKeys: keys, ...resting };
  },
  member: (value: unknown): OrganizationItem => {
    const { userId, roles } = readMemberItem(value);
    return { type: 'org_member', userId, roles: readOrgRoles({ roles }).roles };
  },
};

type Fields = Readonly<Record<string, unknown>>;

/** By name on the wire: the fields that say something here, and what they say. A flag that is left out is false. */
export const readPolicy = {
  passwordComplexityPolicy: {
    fields: ['minLength', 'hasLowercase', 'hasUppercase', 'hasNumber', 'hasSymbol'],
    read: (fields: Fields): OrganizationItem => {
      const flags = { hasLowercase: false, hasUppercase: false, hasNumber: false, hasSymbol: false };
      const policy = checkBody(passwordPolicyBody, { ...flags, ...fields });
      return { type: 'password_complexity_policy', policy };
    },
  },
  lockoutPolicy: {
    fields: ['maxPasswordAttempts', 'freePasswordAttempts', 'firstWait', 'lockDuration'],
    read: (fields: Fields): OrganizationItem => {
      return { type: 'lockout_policy', policy: checkBody(lockoutPolicyBody, fields) };
    },
  },
  loginPolicy: {
    fields: ['allowRegister'],
    read: (fields: Fields): OrganizationItem => {
      return { type: 'login_policy', policy: { allowRegister: fields['allowRegister'] === true } };
    },
  },
  labelPolicy: {
    fields: ['primaryColor', 'displayName', 'logo', 'defaultLanguage'],
    read: ({ primaryColor: accentColor, ...fields }: Fields): OrganizationItem => {
      return { type: 'label_policy', policy: brandingFields({ ...fields, accentColor }) };
    },
  },
  privacyPolicy: {
    fields: ['privacyLink', 'helpLink'],
    read: ({ privacyLink: privacyUrl, helpLink: helpUrl }: Fields): OrganizationItem => {
      return { type: 'privacy_policy', policy: brandingFields({ privacyUrl, helpUrl }) };
    },
  },
} as const;

function brandingFields(given: Fields) {
  const { logo, ...fields } = checkBody(brandingPolicyBody, given);
  return { ...fields, ...(logo && { logo: logo.content.toString('base64') }) };
}

/** The fields of an object that are known, by their names in lowerCamelCase, and the names of others that say something. */
export function camelFields(
  value: unknown,
  known: readonly string[],
): { readonly fields: Fields; readonly others: readonly string[] } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ApiError('invalid-argument', 'it must be a JSON object');
  }
  const given = Object.entries(value).map(
    ([name, content]) => [camelCase(name), content as unknown] as const,
  );
  const twice = given.find(([name], index) => given.findIndex(([other]) => other === name) !== index);
  if (twice !== undefined && known.includes(twice[0])) {
    throw new ApiError('invalid-argument', `field "${twice[0]}" is given twice, also in snake_case`);
  }
  const fields = Object.fromEntries(
    given.filter(([name, content]) => known.includes(name) && content !== null),
  );
  const others = given.filter(([name, content]) => !known.includes(name) && says(content));
  return { fields, others: others.map(([name]) => name.slice(0, 60).replace(/[^\w-]/g, '?')) };
}

function says(value: unknown): boolean {
  if (value === null || value === '' || value === false || value === 0) return false;
  return typeof value !== 'object' || Object.keys(value ?? {}).length > 0;
}
