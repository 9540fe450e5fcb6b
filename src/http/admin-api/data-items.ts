import { z } from 'zod';
import type { DataOrgsPart } from '../../domain/import/formats/data-orgs-scanner.js';
import { readOrgId, readTimeout } from '../../domain/import/formats/data-orgs.js';
import { unreadable } from '../../domain/import/formats/source-record.js';
import { SourceTooLarge } from '../../domain/import/formats/unpack.js';
import { ApiError } from '../../domain/shared/errors.js';
import { readNewOidcApplication } from '../management-api/oidc-application-body.js';
import { readOrganization } from '../management-api/organization-body.js';
import { readNewRole } from '../management-api/project-roles.controller.js';
import { readProject } from '../management-api/project-body.js';
import { readMetadataValue } from '../management-api/user-metadata.controller.js';
import { readUserGrant } from '../management-api/user-grants.controller.js';
import { bodyReader, flag, text } from '../shared/api-fields.js';
import { memberReader } from '../shared/member-body.js';

/** Something of a `dataOrgs` body that is no user: kept until its turn, so there is an end to how much of it. */
export interface DataItem {
  /** Of the member that it stands in: `projects`. */
  readonly name: string;
  readonly path: string;
  readonly json: string | undefined;
}

export interface DataOrg {
  readonly orgId: string;
  readonly items: readonly DataItem[];
}

const MOST_BYTES = 64 * 1024 * 1024;
const USUAL_TIMEOUT_MS = 1_800_000;
const ELSEWHERE = /^data_?orgs(v1)?_?(local|s3|gcs)$/i;
const EMPTY = /^(null|""|\{\s*\}|\[\s*\]|false|0)$/;

/** Gathers what is no user while a body of `POST /admin/v1/import` goes by (contract §2.1). */
export class DataItems {
  private readonly gathered: { orgId: string | undefined; items: DataItem[] }[] = [];
  private bytes = 0;
  private timeout: number | undefined;

  get timeoutMs(): number {
    return this.timeout ?? USUAL_TIMEOUT_MS;
  }

  readonly keep = (part: DataOrgsPart): void => {
    switch (part.kind) {
      case 'member':
        this.member(part.path, part.json);
        return;
      case 'org':
        if (part.fault !== undefined) throw unreadable(`${part.fault.path}: ${part.fault.message}`);
        this.gathered.push({ orgId: undefined, items: [] });
        return;
      case 'org-end':
        // users without one would come to belong to the caller's organization
        if (this.gathered.at(-1)?.orgId === undefined) {
          throw unreadable(`dataOrgs.orgs[${part.org}].orgId is required`);
        }
        return;
      case 'field':
      case 'item':
        this.add(part.name, part.path, part.json);
    }
  };

  orgs(): readonly DataOrg[] {
    return this.gathered.flatMap(({ orgId, items }) => (orgId === undefined ? [] : [{ orgId, items }]));
  }

  private member(path: string, json: string | undefined): void {
    if (path === 'timeout') this.timeout = readTimeout(json);
    else if (ELSEWHERE.test(path)) throw unreadable(`${path} is not supported: send dataOrgs`);
    else throw unreadable(`unknown field "${path}"`);
  }

  private add(name: string, path: string, json: string | undefined): void {
    const org = this.gathered.at(-1);
    if (org === undefined || (json !== undefined && EMPTY.test(json))) return;
    if (name === 'orgId' || name === 'org_id') {
      org.orgId = readOrgId(json, path);
      return;
    }
    this.bytes += json?.length ?? 0;
    if (this.bytes > MOST_BYTES)
      throw new SourceTooLarge(`what is no user takes more than ${MOST_BYTES} bytes`);
    org.items.push({ name: camelCase(name), path, json });
  }
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** `errors[].type` of what we have no place for; whatever is unknown goes by its own name. */
const TYPES: Readonly<Record<string, string>> = {
  apiApps: 'api_app',
  triggerActions: 'trigger_action',
  actions: 'action',
  projectGrants: 'project_grant',
  projectMembers: 'project_member',
  projectGrantMembers: 'project_grant_member',
  oidcIdps: 'oidc_idp',
  jwtIdps: 'jwt_idp',
  userLinks: 'user_link',
  appKeys: 'app_key',
  machineKeys: 'machine_user_key',
  loginTexts: 'login_texts',
};

export function typeOf(name: string): string {
  if (TYPES[name] !== undefined) return TYPES[name];
  const snake = name.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
  return name.endsWith('Messages') ? snake.slice(0, -1) : snake;
}

const id = z
  .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') })
  .regex(/^[!-~]{1,200}$/, 'is not an id');
const readProjectItem = bodyReader({ projectId: id, project: z.unknown() });
const readRoleItem = bodyReader({
  projectId: id,
  roleKey: z.unknown(),
  displayName: z.unknown(),
  group: z.unknown(),
});
const readOidcItem = bodyReader({ appId: id, app: z.unknown() });
const readProjectOfApp = z.looseObject({ projectId: id });
const readMetadataItem = bodyReader({ id, key: text(1, 200), value: z.unknown() });
const readGrantItem = bodyReader({
  userId: id,
  projectId: id,
  projectGrantId: z.literal('', { error: 'is not supported' }).optional(),
  roleKeys: z.unknown(),
});
const readMemberItem = bodyReader({ userId: id, roles: z.unknown() });
const readDomainItem = bodyReader({
  orgId: z.string().optional(),
  domainName: text(1, 253),
  isVerified: flag(),
  isPrimary: flag(),
  validationType: z.unknown().optional(),
});
const readOrgRoles = memberReader('ORG_');

/** Each is read by the rules of the call that makes such a thing by itself. @throws ApiError invalid-argument */
export const readItem = {
  org: (value: unknown) => readOrganization(value),
  domain: (value: unknown) => readDomainItem(value),
  project: (value: unknown) => {
    const { projectId, project } = readProjectItem(value);
    return { projectId, project: readProject(project) };
  },
  role: (value: unknown) => {
    const { projectId, ...role } = readRoleItem(value);
    return { projectId, role: readNewRole(role) };
  },
  oidcApp: (value: unknown) => {
    const { appId, app } = readOidcItem(value);
    const { projectId, project_id: alias, ...body } = (app ?? {}) as Record<string, unknown>;
    const named = readProjectOfApp.safeParse({ projectId: projectId ?? alias });
    if (!named.success) throw new ApiError('invalid-argument', 'app.projectId is required');
    readNewOidcApplication(body);
    return { appId, projectId: named.data.projectId, body };
  },
  metadata: (value: unknown) => {
    const { id: userId, key, value: given } = readMetadataItem(value);
    return { userId, key, value: readMetadataValue({ value: given }).value };
  },
  grant: (value: unknown) => {
    const { userId, projectId, roleKeys } = readGrantItem(value);
    return { userId, projectId, roleKeys: readUserGrant({ roleKeys }).roleKeys };
  },
  member: (value: unknown) => {
    const { userId, roles } = readMemberItem(value);
    return { userId, roles: readOrgRoles({ roles }).roles };
  },
};
