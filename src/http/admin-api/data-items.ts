import type { DataOrgsPart } from '../../domain/imports/formats/data-orgs-scanner.js';
import { EMPTY, readOrgId, readTimeout, type KeptRecord } from '../../domain/imports/formats/data-orgs.js';
import { unreadable } from '../../domain/imports/formats/source-record.js';
import { metadataRecord } from '../../domain/imports/records/metadata-item.js';
import { itemJson, passOf, type OrganizationItem } from '../../domain/imports/records/organization-items.js';
import { PASSES } from '../../domain/imports/records/passes.js';
import { camelCase } from '../../domain/imports/records/read-fields.js';
import { ApiError } from '../../domain/shared/errors.js';
import { DuplicateMember, parseJson } from '../../domain/shared/unique-members.js';
import { camelFields, readItem, readPolicy } from './data-item-fields.js';
import { USUAL_TIMEOUT_MS } from './organization-data.schemas.js';

const ELSEWHERE = /^data_?orgs(v1)?_?(local|s3|gcs)$/i;

/** Of the organization that goes by. */
interface OpenOrg {
  orgId?: string | undefined;
  org?: { readonly path: string; readonly json: string | undefined };
  primaryDomain?: string | undefined;
}

/**
 * Reads what is no user while a body of `POST /admin/v1/import` goes by (protocol §2.1), each thing by the rules of the
 * call that makes such a thing by itself. Nothing is kept here but the organization that is open.
 */
export class DataItems {
  private open: OpenOrg = {};
  private timeout: number | undefined;

  get timeoutMs(): number {
    return this.timeout ?? USUAL_TIMEOUT_MS;
  }

  readonly keep = (part: DataOrgsPart): readonly KeptRecord[] => {
    switch (part.kind) {
      case 'member':
        this.member(part.path, part.json);
        return [];
      case 'org':
        if (part.fault !== undefined) throw unreadable(`${part.fault.path}: ${part.fault.message}`);
        this.open = {};
        return [];
      case 'org-end':
        return this.end(part.org);
      case 'field':
        return this.field(camelCase(part.name), part.path, part.json);
      case 'item':
        return this.item(camelCase(part.name), part);
    }
  };

  private member(path: string, json: string | undefined): void {
    if (path === 'timeout') this.timeout = readTimeout(json);
    else if (ELSEWHERE.test(path)) throw unreadable(`${path} is not supported: send dataOrgs`);
    else throw unreadable(`unknown field "${path}"`);
  }

  private end(number: number): readonly KeptRecord[] {
    const { orgId, org, primaryDomain } = this.open;
    // users without one would come to belong to the caller's organization
    if (orgId === undefined) throw unreadable(`dataOrgs.orgs[${number}].orgId is required`);
    if (org === undefined) return [];
    return [
      reading('org', org.path, org.json, (value) => {
        return { type: 'org', name: readItem.org(value).name, primaryDomain };
      }),
    ];
  }

  private field(name: string, path: string, json: string | undefined): readonly KeptRecord[] {
    if (json !== undefined && EMPTY.test(json)) return [];
    switch (name) {
      case 'orgId':
        this.open.orgId = readOrgId(json, path);
        return [];
      case 'org':
        // its primary domain may stand behind it
        this.open.org = { path, json };
        return [];
      case 'orgState':
        return stateRecord(path, json);
      case 'passwordComplexityPolicy':
      case 'lockoutPolicy':
      case 'loginPolicy':
      case 'factorPolicy':
      case 'labelPolicy':
      case 'privacyPolicy':
        return policyRecords(name, path, json);
      default:
        return [unsupported(typeOf(name), path)];
    }
  }

  private item(name: string, part: DataOrgsPart & { readonly kind: 'item' }): readonly KeptRecord[] {
    const { path, json } = part;
    if (json !== undefined && EMPTY.test(json)) return [];
    switch (name) {
      case 'userMetadata':
        return [metadataRecord(part)];
      case 'domains': {
        const record = reading('domain', path, json, (value) => {
          const { domain, isPrimary, isVerified } = readItem.domain(value);
          if (isPrimary) this.open.primaryDomain = domain;
          return { type: 'domain', domain, verified: isVerified || isPrimary, primary: isPrimary };
        });
        return [record];
      }
      case 'projects': {
        let resting: string | undefined;
        const record = reading('project', path, json, (value) => {
          const { projectId, project, inactive } = readItem.project(value);
          if (inactive) resting = projectId;
          return { type: 'project', projectId, settings: project };
        });
        return resting === undefined
          ? [record]
          : [record, kept({ type: 'project_state', projectId: resting })];
      }
      case 'projectRoles':
        return [reading('project_role', path, json, readItem.role)];
      case 'oidcApps':
        return [reading('oidc_app', path, json, readItem.oidcApp)];
      case 'apiApps':
        return [reading('api_app', path, json, readItem.apiApp)];
      case 'appKeys':
        return [reading('app_key', path, json, readItem.appKey)];
      case 'machineKeys':
        return [reading('machine_user_key', path, json, readItem.machineKey)];
      case 'userLinks':
        return [reading('user_link', path, json, readItem.userLink)];
      case 'projectGrants':
        return [reading('project_grant', path, json, readItem.projectGrant)];
      case 'userGrants':
        return [reading('user_grant', path, json, readItem.grant)];
      case 'orgMembers':
        return [reading('org_member', path, json, readItem.member)];
      default:
        return [unsupported(typeOf(name), path)];
    }
  }
}

/** `errors[].type` of what we have no place for; whatever is unknown goes by its own name. */
const TYPES: Readonly<Record<string, string>> = {
  triggerActions: 'trigger_action',
  actions: 'action',
  projectMembers: 'project_member',
  projectGrantMembers: 'project_grant_member',
  oidcIdps: 'oidc_idp',
  jwtIdps: 'jwt_idp',
  loginTexts: 'login_texts',
};

function typeOf(name: string): string {
  if (TYPES[name] !== undefined) return TYPES[name];
  const snake = name.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
  return name.endsWith('Messages') ? snake.slice(0, -1) : snake;
}

function kept(item: OrganizationItem): KeptRecord {
  return { pass: passOf(item.type), json: itemJson(item) };
}

/** What is wrong with an item costs the item. */
function reading(
  type: OrganizationItem['type'],
  path: string,
  json: string | undefined,
  read: (value: unknown) => OrganizationItem,
): KeptRecord {
  try {
    if (json === undefined)
      throw new ApiError('invalid-argument', 'the item is too large or not valid UTF-8');
    return kept(read(parse(json)));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { pass: passOf(type), fault: { code: 'invalid', path, message: error.message, type } };
  }
}

function parse(json: string): unknown {
  try {
    return parseJson(json);
  } catch (error) {
    if (error instanceof DuplicateMember) {
      throw new ApiError('invalid-argument', `field ${error.message}`);
    }
    throw new ApiError('invalid-argument', 'the item is not valid JSON');
  }
}

function unsupported(type: string, path: string): KeptRecord {
  return { pass: PASSES.users, fault: { code: 'invalid', path, message: 'Errors.NotSupported', type } };
}

function stateRecord(path: string, json: string | undefined): readonly KeptRecord[] {
  const state = json?.replaceAll('"', '');
  if (state === 'ORG_STATE_ACTIVE' || state === 'ORG_STATE_UNSPECIFIED' || state === '1') return [];
  if (state === 'ORG_STATE_INACTIVE' || state === '2') return [kept({ type: 'org_state' })];
  return [unsupported('org_state', path)];
}

const POLICY_TYPES = {
  passwordComplexityPolicy: 'password_complexity_policy',
  lockoutPolicy: 'lockout_policy',
  loginPolicy: 'login_policy',
  factorPolicy: 'factor_policy',
  labelPolicy: 'label_policy',
  privacyPolicy: 'privacy_policy',
} as const;

/** Fields of a policy that ours does not support are reported one by one; the rest is imported. */
function policyRecords(
  name: keyof typeof POLICY_TYPES,
  path: string,
  json: string | undefined,
): readonly KeptRecord[] {
  const type = POLICY_TYPES[name];
  const beyond: KeptRecord[] = [];
  let says = true;
  const record = reading(type, path, json, (value) => {
    const { fields, others } = camelFields(value, readPolicy[name].fields);
    for (const other of others) beyond.push(unsupported(type, `${path}.${other}`));
    says = Object.keys(fields).length > 0;
    return readPolicy[name].read(fields);
  });
  // where all that it says is beyond us there is no policy to set
  return says || beyond.length === 0 ? [record, ...beyond] : beyond;
}
