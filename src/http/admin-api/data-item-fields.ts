import { z } from 'zod';
import { isClientId } from '../../domain/applications/application.js';
import type { ClientIdentity, OrganizationItem } from '../../domain/imports/records/organization-items.js';
import { camelCase } from '../../domain/imports/records/read-fields.js';
import { ApiError } from '../../domain/shared/errors.js';
import { readPublicKey } from '../../domain/signing-keys/assertion-key.js';
import { checkBody } from '../shared/body.pipe.js';
import { newApiApplicationBody, newOidcApplicationBody } from '../shared/schemas/application.schemas.js';
import { FACTOR_POLICY_FIELDS, factorPolicyBody } from '../shared/schemas/factor-policy.schemas.js';
import { idField, optionalIdField } from '../shared/schemas/id-field.js';
import { newKeyBody } from '../shared/schemas/key.schemas.js';
import { memberBody } from '../shared/schemas/member.schemas.js';
import { domainBody, organizationBody } from '../shared/schemas/organization.schemas.js';
import {
  brandingPolicyBody,
  lockoutPolicyBody,
  passwordPolicyBody,
} from '../shared/schemas/policy.schemas.js';
import { importedProjectGrantBody } from '../shared/schemas/project-grant.schemas.js';
import { newProjectRoleBody } from '../shared/schemas/project-role.schemas.js';
import { projectBody } from '../shared/schemas/project.schemas.js';
import { roleAssignmentBody } from '../shared/schemas/role-assignment.schemas.js';
import { stateField } from '../shared/schemas/state-fields.js';
import { newUserIdentityBody } from '../shared/schemas/user-identity.schemas.js';

/** The form of a client secret that comes along as a hash: SHA-256, hexadecimal. */
export const SECRET_PREFIX = 'sha256:';
const SECRET = /^sha256:[0-9a-f]{64}$/;

const id = idField();

const hashItem = z.strictObject({
  value: z.string().regex(SECRET, `must be ${SECRET_PREFIX} and 64 hexadecimal digits`),
});

/** Beside `app`, so that a client keeps working here as it did at the other system. */
const clientFields = {
  clientId: z.string().refine(isClientId, 'is not a client id').optional(),
  hashedClientSecret: z.unknown().optional(),
  state: stateField('APP'),
};

const projectItem = z.strictObject({
  projectId: id,
  project: z.unknown().optional(),
  state: stateField('PROJECT'),
});
const roleItem = z.strictObject({
  projectId: id,
  roleKey: z.unknown().optional(),
  displayName: z.unknown().optional(),
  group: z.unknown().optional(),
});
const appItem = z.strictObject({ appId: id, app: z.unknown().optional(), ...clientFields });
const keyFields = {
  type: z.unknown().optional(),
  expirationDate: z.unknown().optional(),
  publicKey: z.unknown().optional(),
};
const appKeyItem = z.strictObject({
  id,
  projectId: id,
  appId: id,
  // known of the application
  clientId: z.unknown().optional(),
  ...keyFields,
});
const machineKeyItem = z.strictObject({ keyId: id, userId: id, ...keyFields });
const userLinkItem = z.strictObject({
  userId: id,
  idpId: id,
  providedUserId: z.unknown().optional(),
  providedUserName: z.unknown().optional(),
  // known of the provider
  idpName: z.unknown().optional(),
  idpType: z.unknown().optional(),
});
const projectGrantItem = z.strictObject({
  grantId: id,
  projectGrant: z.unknown().optional(),
  state: stateField('PROJECT_GRANT'),
});
const grantItem = z.strictObject({
  userId: id,
  projectId: id,
  projectGrantId: optionalIdField(),
  roleKeys: z.unknown().optional(),
  state: stateField('USER_GRANT'),
});
const memberItem = z.strictObject({ userId: id, roles: z.unknown().optional() });
const domainItem = z.strictObject({
  orgId: z.string().optional(),
  domainName: z.unknown().optional(),
  isVerified: z.boolean().default(false),
  isPrimary: z.boolean().default(false),
  validationType: z.unknown().optional(),
});
const orgMemberBody = memberBody('ORG_');

const inProject = z.looseObject({ projectId: id });

/** What stands in `app` beside what the call that makes one takes. */
function readApp(value: unknown) {
  const { appId, app, clientId, hashedClientSecret, state } = checkBody(appItem, value);
  const { projectId, project_id: alias, ...body } = (app ?? {}) as Record<string, unknown>;
  const named = inProject.safeParse({ projectId: projectId ?? alias });
  if (!named.success) throw new ApiError('invalid-argument', 'app.projectId is required');
  const secretHash =
    hashedClientSecret === undefined
      ? undefined
      : checkBody(hashItem, hashedClientSecret).value.slice(SECRET_PREFIX.length);
  const identity: ClientIdentity = { clientId, secretHash, ...(state === 'inactive' && { inactive: true }) };
  return { appId, projectId: named.data.projectId, body, identity };
}

function readKey(fields: {
  readonly type?: unknown;
  readonly expirationDate?: unknown;
  readonly publicKey?: unknown;
}) {
  const { expirationDate, publicKey } = checkBody(newKeyBody, fields);
  if (publicKey === undefined) throw new ApiError('invalid-argument', 'publicKey is required');
  return { publicJwk: readPublicKey(publicKey), expiresAt: expirationDate?.toISOString() };
}

/** Each is read by the rules of the call that makes such a thing by itself. @throws ApiError invalid-argument */
export const readItem = {
  org: (value: unknown) => checkBody(organizationBody, value),
  domain: (value: unknown) => {
    const { domainName, isPrimary, isVerified } = checkBody(domainItem, value);
    return { domain: checkBody(domainBody, { domain: domainName }).domain, isPrimary, isVerified };
  },
  project: (value: unknown) => {
    const { projectId, project, state } = checkBody(projectItem, value);
    return { projectId, project: checkBody(projectBody, project), inactive: state === 'inactive' };
  },
  role: (value: unknown): OrganizationItem => {
    const { projectId, ...role } = checkBody(roleItem, value);
    return { type: 'project_role', projectId, role: checkBody(newProjectRoleBody, role) };
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
    const { id: keyId, projectId, appId, clientId: _, ...fields } = checkBody(appKeyItem, value);
    return { type: 'app_key', keyId, projectId, appId, ...readKey(fields) };
  },
  machineKey: (value: unknown): OrganizationItem => {
    const { keyId, userId, ...fields } = checkBody(machineKeyItem, value);
    return { type: 'machine_user_key', keyId, userId, ...readKey(fields) };
  },
  userLink: (value: unknown): OrganizationItem => {
    const { userId, idpId, providedUserId, providedUserName } = checkBody(userLinkItem, value);
    const given = { idpId, externalUserId: providedUserId, displayName: providedUserName };
    const { externalUserId: subject, displayName } = checkBody(newUserIdentityBody, given);
    return { type: 'user_link', userId, idpId, subject, displayName };
  },
  projectGrant: (value: unknown): OrganizationItem => {
    const { grantId, projectGrant, state } = checkBody(projectGrantItem, value);
    const { projectId, project_id: alias, ...body } = (projectGrant ?? {}) as Record<string, unknown>;
    const named = inProject.safeParse({ projectId: projectId ?? alias });
    if (!named.success) throw new ApiError('invalid-argument', 'projectGrant.projectId is required');
    const resting = state === 'inactive' ? { inactive: true as const } : {};
    const granted = checkBody(importedProjectGrantBody, body);
    return { type: 'project_grant', grantId, ...named.data, ...granted, ...resting };
  },
  grant: (value: unknown): OrganizationItem => {
    const { userId, projectId, projectGrantId, roleKeys, state } = checkBody(grantItem, value);
    const keys = checkBody(roleAssignmentBody, { roleKeys }).roleKeys;
    const resting = state === 'inactive' ? { inactive: true as const } : {};
    return { type: 'user_grant', userId, projectId, projectGrantId, roleKeys: keys, ...resting };
  },
  member: (value: unknown): OrganizationItem => {
    const { userId, roles } = checkBody(memberItem, value);
    return { type: 'org_member', userId, roles: checkBody(orgMemberBody, { roles }).roles };
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
    fields: [
      'allowRegister',
      'requireLoginName',
      'allowAccountDeletion',
      'allowExternalIdps',
      'instanceIdps',
      'homeRealmIdpId',
    ],
    read: (fields: Fields): OrganizationItem => {
      const homeRealmIdpId = fields['homeRealmIdpId'];
      return {
        type: 'login_policy',
        policy: {
          allowRegister: fields['allowRegister'] === true,
          requireLoginName: fields['requireLoginName'] === true,
          allowAccountDeletion: fields['allowAccountDeletion'] === true,
          // on, where nobody says otherwise
          allowExternalIdps: fields['allowExternalIdps'] !== false,
          instanceIdps: textsOf(fields['instanceIdps']),
          ...(typeof homeRealmIdpId === 'string' && homeRealmIdpId !== '' && { homeRealmIdpId }),
        },
      };
    },
  },
  factorPolicy: {
    fields: FACTOR_POLICY_FIELDS,
    read: (fields: Fields): OrganizationItem => {
      return { type: 'factor_policy', policy: checkBody(factorPolicyBody, fields) };
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

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}
