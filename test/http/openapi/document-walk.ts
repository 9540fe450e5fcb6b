import type { OpenApiDocument } from '../../../src/http/openapi/openapi-document.js';
import type { JsonSchema } from '../../../src/http/shared/json-schema.js';
import { bodySchema, documentedCalls, type DocumentedCall } from '../../support/document-schemas.js';

export interface Answered {
  readonly statusCode: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

export interface Sending {
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string>>;
  readonly token?: string | undefined;
  /** The organization to act in. */
  readonly orgId?: string | undefined;
}

export type Fields = Readonly<Record<string, unknown>>;

/** A call that was made: what it sent, what came back, and what its path named. */
interface Made {
  readonly path: Fields;
  readonly sent: Fields;
  readonly answer: Fields;
}

/** Where the id of a placeholder comes from: a call, and the field of its answer, body or path. */
type Source = readonly [operationId: string, field: string];

const SOURCES: readonly (readonly [RegExp, Source])[] = [
  [/\/apps\/\{appId\}\/keys\/\{keyId\}$/, ['ApplicationKeys.add', 'keyId']],
  [/\/users\/\{id\}\/keys\/\{keyId\}$/, ['ServiceUserKeys.add', 'keyId']],
  [/\/pats\/\{tokenId\}$/, ['PersonalAccessTokens.add', 'tokenId']],
  [/\/metadata\/\{key\}$/, ['UserMetadata.add', 'key']],
  [/\/users\/\{userId\}\/grants\/\{grantId\}$/, ['UserGrants.add', 'userGrantId']],
  [/\/projects\/\{projectId\}\/grants\/\{grantId\}$/, ['ProjectGrants.add', 'grantId']],
  [/\/roles\/\{roleKey\}$/, ['ProjectRoles.add', 'roleKey']],
  [/\/apps\/\{appId\}$/, ['Projects.addOidcApplication', 'appId']],
  [/\/projects\/\{projectId\}$/, ['Projects.addProject', 'id']],
  [/^\/management.*\/members\/\{userId\}$/, ['OrganizationMembers.add', 'userId']],
  [/^\/admin.*\/members\/\{userId\}$/, ['InstanceMembers.add', 'userId']],
  [/\/domains\/\{domain\}$/, ['OrganizationDomains.add', 'domain']],
  [/\/imports\/\{id\}$/, ['Imports.add', 'id']],
  [/\/notification_providers\/\{id\}$/, ['NotificationProviders.add', 'id']],
  [/^\/admin\/v1\/keys\/\{id\}$/, ['SigningKeys.rotateNow', 'id']],
  [/\/users\/\{\w+\}$/, ['Users.importHuman', 'userId']],
];
/** What only service users, or applications of the other kind, have. */
const OF_SERVICE_USERS = /^\/management\/v1\/users\/\{id\}\/(keys|pats|secret|machine)(\/|$)/;
const OF_API_APPLICATIONS = /\/apps\/\{appId\}\/(api_config|keys)/;

/** Words that a caller chooses. */
export const CHOSEN: Readonly<Record<string, string>> = { key: 'key', type: 'initialise', language: 'en' };

/** Ids in bodies that must be somebody's. */
const NAMED: Readonly<Record<string, Source>> = {
  'UserGrants.add projectId': ['Projects.addProject', 'id'],
  'ProjectGrants.add grantedOrgId': ['Organizations.add', 'id'],
  'OrganizationMembers.add userId': ['Users.importHuman', 'userId'],
  'InstanceMembers.add userId': ['ServiceUsers.add', 'userId'],
};

/** What a field says where its schema leaves more than one choice open; `#` is a number of its own. */
const WORDS: Readonly<Record<string, unknown>> = {
  name: 'Name #',
  userName: 'user-#',
  roleKey: 'role-#',
  domain: 'd#.example.com',
  email: 'user-#@mail.test',
  phone: '+4179#',
  to: 'somebody@mail.test',
  value: 'dmFsdWU=',
  password: 'Marker-Passw0rd!',
  oldPassword: 'Marker-Passw0rd!',
  newPassword: 'Marker-Passw0rd!2',
  rotationPeriod: '7776000s',
  leadTime: '1209600s',
  roles: ['ORG_OWNER_VIEWER'],
};

/** Bodies that take more than their required fields, or fields that only a description can tell. */
export const BODIES: Readonly<Record<string, Fields>> = {
  'InstanceMembers.add': { roles: ['IAM_OWNER_VIEWER'] },
  'InstanceMembers.replace': { roles: ['IAM_OWNER_VIEWER'] },
  'Applications.addApi': { authMethodType: 'API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT' },
  'DataImport.add': { dataOrgs: { orgs: [] } },
  'NotificationProviders.add': {
    kind: 'http',
    url: 'https://mail.test/',
    signingKey: 'x'.repeat(32),
    channel: 'email',
  },
  'NotificationProviders.replace': {
    kind: 'http',
    url: 'https://mail.test/',
    signingKey: 'x'.repeat(32),
    channel: 'email',
  },
  'Notifications.replayMany': { all: true },
  'InstanceNotifications.replayMany': { all: true },
  'UserAccounts.replaceEmail': { email: 'user-#@mail.test' },
  'OwnAccount.replaceEmail': { email: 'user-#@mail.test' },
  'UserAccounts.replacePhone': { phone: '+4179#' },
  'OwnAccount.replacePhone': { phone: '+4179#' },
  'MessageTemplates.replace': { title: 'Hello' },
  'InstanceTemplates.replace': { title: 'Hello' },
  'UserAccounts.replaceUserName': { userName: 'user-#' },
};

/** What the query must say beside a file. */
const QUERIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Imports.add': { format: 'ndjson' },
};

/** What must have been called for a call to succeed, on the same things. */
const BEFORE: Readonly<Record<string, readonly string[]>> = {
  'Users.reactivate': ['Users.deactivate'],
  'Users.unlock': ['Users.lock'],
  'UserMetadata.find': ['UserMetadata.add'],
  'UserMetadata.remove': ['UserMetadata.add'],
  'UserAccounts.findPhone': ['UserAccounts.replacePhone'],
  'UserAccounts.removePhone': ['UserAccounts.replacePhone'],
  'UserPhone.resend': ['UserAccounts.replacePhone'],
  'MessageTemplates.remove': ['MessageTemplates.replace'],
  'InstanceTemplates.remove': ['InstanceTemplates.replace'],
  'ServiceUsers.removeSecret': ['ServiceUsers.makeSecret'],
  'ProjectChanges.reactivate': ['ProjectChanges.deactivate'],
  'Applications.reactivate': ['Applications.deactivate'],
  'Applications.regenerateApiSecret': ['Applications.replaceApi'],
  'UserGrants.reactivate': ['UserGrants.deactivate'],
  'Organizations.reactivate': ['Organizations.deactivate'],
  'Imports.resume': ['Imports.pause'],
  'OwnAccount.resendEmail': ['OwnAccount.replaceEmail'],
  'OwnAccount.findPhone': ['OwnAccount.replacePhone'],
  'OwnPhone.resend': ['OwnAccount.replacePhone'],
  'NotificationProviders.deactivate': ['NotificationProviders.activate'],
};

type Send = (call: DocumentedCall, url: string, sending: Sending) => Promise<Answered>;
export type Prepared = Readonly<Record<string, (scope: Scope) => Promise<string>>>;

/** Makes calls from what the document says of them, and the calls before them that they stand on. */
export class DocumentWalk {
  readonly calls: readonly DocumentedCall[];
  /** So long that it makes a telephone number of a mobile prefix. */
  private number = 1_000_000;

  constructor(
    document: OpenApiDocument,
    private readonly send: Send,
    /** Ids of what no call makes, by the end of the path that names it. */
    private readonly prepared: Prepared = {},
  ) {
    this.calls = documentedCalls(document);
  }

  find(operationId: string): DocumentedCall {
    const call = this.calls.find(({ operation }) => operation.operationId === operationId);
    if (call === undefined) throw new Error(`the document knows no ${operationId}`);
    return call;
  }

  /** Nothing has been made in it yet. */
  scope(): Scope {
    return new Scope(this, this.send, this.prepared, () => String((this.number += 1)));
  }
}

export class Scope {
  private readonly made = new Map<string, Promise<Made>>();

  constructor(
    private readonly walk: DocumentWalk,
    private readonly send: Send,
    private readonly prepared: Prepared,
    private readonly number: () => string,
  ) {}

  /** Calls it once in this scope, successfully. */
  async make(operationId: string): Promise<Made> {
    let made = this.made.get(operationId);
    if (made === undefined) {
      made = this.succeed(this.walk.find(operationId));
      this.made.set(operationId, made);
    }
    return await made;
  }

  private async succeed(call: DocumentedCall): Promise<Made> {
    const path = await this.idsOf(call);
    const sent = await this.bodyOf(call);
    const { statusCode, body } = await this.call(call, { ids: path, body: sent });
    if (statusCode !== 200 && statusCode !== 202) {
      throw new Error(`${call.operation.operationId}: ${statusCode} ${body} for ${JSON.stringify(sent)}`);
    }
    return { path, sent: (sent ?? {}) as Fields, answer: JSON.parse(body) as Fields };
  }

  /** Everything that a call needs to succeed, but for the call itself. */
  async prepare(call: DocumentedCall): Promise<{ readonly ids: Fields; readonly body: unknown }> {
    const ready = { ids: await this.idsOf(call), body: await this.bodyOf(call) };
    for (const before of BEFORE[call.operation.operationId] ?? []) await this.make(before);
    return ready;
  }

  /** An organization of its own, which has nothing but what this scope made. */
  async orgId(): Promise<string> {
    return String(await this.valueOf(['AdminOrganizations.add', 'id']));
  }

  async call(call: DocumentedCall, sending: Sending & { readonly ids?: Fields } = {}): Promise<Answered> {
    const { ids = await this.idsOf(call), query = {}, ...rest } = sending;
    const orgId = call.path.startsWith('/management/') ? await this.orgId() : undefined;
    return await this.send(call, urlOf(call, ids, query), { orgId, ...rest });
  }

  async idsOf(call: DocumentedCall): Promise<Fields> {
    const ids: Record<string, unknown> = {};
    for (const [place, name = ''] of call.path.matchAll(/\{(\w+)\}/g)) {
      const until = call.path.slice(0, call.path.indexOf(place) + place.length);
      const prepared = Object.entries(this.prepared).find(([end]) => until.endsWith(end))?.[1];
      ids[name] = CHOSEN[name] ?? (await (prepared?.(this) ?? this.valueOf(this.sourceOf(call, until))));
    }
    return ids;
  }

  private sourceOf({ path }: DocumentedCall, until: string): Source {
    if (until.endsWith('/users/{id}') && OF_SERVICE_USERS.test(path)) return ['ServiceUsers.add', 'userId'];
    if (until.endsWith('/{appId}') && OF_API_APPLICATIONS.test(path)) return ['Applications.addApi', 'appId'];
    const source = SOURCES.find(([pattern]) => pattern.test(until))?.[1];
    if (source === undefined) throw new Error(`nothing makes what ${until} names`);
    return source;
  }

  private async valueOf([operationId, field]: Source): Promise<unknown> {
    const { answer, sent, path } = await this.make(operationId);
    return answer[field] ?? sent[field] ?? path[field];
  }

  /** The least that the document lets one send; undefined where nothing need be sent. */
  async bodyOf(call: DocumentedCall): Promise<unknown> {
    const { operationId, requestBody } = call.operation;
    const named = Object.entries(NAMED).filter(([field]) => field.startsWith(`${operationId} `));
    const more = BODIES[operationId];
    const isNeeded = named.length > 0 || more !== undefined;
    if (requestBody === undefined || (!requestBody.required && !isNeeded)) return undefined;
    const schema = bodySchema(call.operation);
    if (schema === undefined) return FILE;
    const body = { ...(this.sample(schema, '') as Fields) };
    for (const [name, value] of Object.entries(more ?? {})) body[name] = this.numbered(value);
    for (const [field, source] of named)
      body[field.slice(operationId.length + 1)] = await this.valueOf(source);
    return body;
  }

  private numbered(value: unknown): unknown {
    return typeof value === 'string' ? value.replace('#', this.number()) : value;
  }

  /** The same with every default said, which must change nothing. */
  withDefaults(schema: JsonSchema, body: Fields): Fields {
    const said = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
      const given = body[name];
      if (given === undefined) return 'default' in property ? [[name, property['default']] as const] : [];
      return isFields(given) ? [[name, this.withDefaults(property, given)] as const] : [];
    });
    return { ...body, ...Object.fromEntries(said) };
  }

  private sample(schema: JsonSchema, name: string): unknown {
    if (schema.type === 'object') {
      const required = schema.required ?? [];
      return Object.fromEntries(
        required.map((one) => [one, this.sample(schema.properties?.[one] ?? {}, one)]),
      );
    }
    if (schema.enum !== undefined) return schema.enum[0];
    const word = WORDS[name];
    if (word !== undefined) return this.numbered(word);
    if (schema.type === 'boolean') return false;
    if (schema.type === 'integer') return schema['minimum'] ?? 1;
    return schema.type === 'array' ? [] : 'x';
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One record, for calls that take a file. */
export const FILE = `${JSON.stringify({
  userName: 'from-a-file',
  profile: { firstName: 'Ada', lastName: 'Lovelace' },
  email: { email: 'from-a-file@mail.test', isEmailVerified: true },
})}\n`;

function urlOf(
  { path, operation }: DocumentedCall,
  ids: Fields,
  query: Readonly<Record<string, string>>,
): string {
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(ids[name])));
  const asked = new URLSearchParams({ ...QUERIES[operation.operationId], ...query }).toString();
  return asked === '' ? url : `${url}?${asked}`;
}
