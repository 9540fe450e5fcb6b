import type { OpenApiDocument } from '../../../src/http/openapi/document.js';
import type { JsonSchema } from '../../../src/http/shared/schemas/json-schema.js';
import { documentedCalls, DocumentSchemas, type DocumentedCall } from '../../support/document-schemas.js';

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
  [/\/users\/_bulk\/\{bulkActionId\}$/, ['BulkActions.begin', 'id']],
  [/\/apps\/\{appId\}\/keys\/\{keyId\}$/, ['ApplicationKeys.add', 'keyId']],
  [/\/users\/\{id\}\/keys\/\{keyId\}$/, ['ServiceUserKeys.add', 'keyId']],
  [/\/scim_tokens\/\{scimTokenId\}$/, ['ScimTokens.add', 'tokenId']],
  [/\/initial_access_tokens\/\{initialAccessTokenId\}$/, ['InitialAccessTokens.add', 'tokenId']],
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
  [/^\/management.*\/idps\/\{id\}$/, ['IdentityProviders.add', 'id']],
  [/^\/admin.*\/idps\/\{id\}$/, ['InstanceIdentityProviders.add', 'id']],
  [/^\/management.*\/webhooks\/\{id\}$/, ['Webhooks.add', 'id']],
  [/^\/admin.*\/webhooks\/\{id\}$/, ['InstanceWebhooks.add', 'id']],
  [/^\/admin\/v1\/keys\/\{id\}$/, ['SigningKeys.rotateNow', 'id']],
  [/\/users\/\{id\}\/idps\/\{identityId\}$/, ['UserIdentities.add', 'id']],
  [/\/users\/\{\w+\}$/, ['Users.importHuman', 'userId']],
];
/** What only service users, or applications of the other kind, have. */
const OF_SERVICE_USERS = /^\/management\/v1\/users\/\{id\}\/(keys|pats|secret|machine)(\/|$)/;
const OF_API_APPLICATIONS = /\/apps\/\{appId\}\/(api_config|keys)/;

/**
 * What no document can know, by the name of the field: ids of things that only this run has made, and the password that
 * its people have. All else is sent as the examples have it.
 */
const OF_THIS_RUN: Readonly<Record<string, Source>> = {
  projectId: ['Projects.addProject', 'id'],
  idpId: ['IdentityProviders.add', 'id'],
  grantedOrgId: ['Organizations.add', 'id'],
  userId: ['ServiceUsers.add', 'userId'],
  roleKeys: ['ProjectRoles.add', 'roleKey'],
  orgIds: ['AdminOrganizations.add', 'id'],
};

/** What nobody else may have: the example, and a number of its own. */
const UNIQUE: Readonly<Record<string, (example: string, number: string) => string>> = {
  name: (example, number) => `${example} ${number}`,
  userName: (example, number) => `${example}-${number}`,
  roleKey: (example, number) => `${example}-${number}`,
  domain: (example, number) => `d${number}.${example}`,
  email: (example, number) => `user-${number}-${example}`,
  externalUserId: (example, number) => `${example}-${number}`,
  phone: (example, number) => `${example.slice(0, -number.length)}${number}`,
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
  'ProjectGrants.reactivate': ['ProjectGrants.deactivate'],
  'Organizations.reactivate': ['Organizations.deactivate'],
  'Imports.resume': ['Imports.pause'],
  'OwnAccount.resendEmail': ['OwnAccount.replaceEmail'],
  'OwnAccount.findPhone': ['OwnAccount.replacePhone'],
  'OwnPhone.resend': ['OwnAccount.replacePhone'],
  'NotificationProviders.deactivate': ['NotificationProviders.activate'],
  'UserIdentities.remove': ['UserAccounts.replacePassword'],
  'UserMigration.rotateSecret': ['UserMigration.replace'],
  'UserMigration.remove': ['UserMigration.replace'],
  'IdentityProviders.deactivate': ['IdentityProviders.activate'],
  'InstanceIdentityProviders.deactivate': ['InstanceIdentityProviders.activate'],
  'Webhooks.activate': ['Webhooks.deactivate'],
  'InstanceWebhooks.activate': ['InstanceWebhooks.deactivate'],
  'ClaimsWebhook.find': ['ClaimsWebhook.put'],
  'ClaimsWebhook.remove': ['ClaimsWebhook.put'],
  'ClaimsWebhook.changeSecret': ['ClaimsWebhook.put'],
  'ClaimsWebhook.test': ['ClaimsWebhook.put'],
};

interface Parameter {
  readonly in?: string;
  readonly name: string;
  readonly schema: JsonSchema;
}

/** What the document says of a path's or a query's parameter. */
export function parametersOf({ operation }: DocumentedCall, place: 'path' | 'query'): readonly Parameter[] {
  return ((operation.parameters ?? []) as readonly Parameter[]).filter((one) => one.in === place);
}

/** A word that the document names for a parameter; none for ids. */
function wordOf({ schema }: Parameter): unknown {
  return schema.examples?.[0] ?? schema.enum?.[0];
}

/** Whether a path's parameter is an id, and no word that the caller chooses. */
export function isId(call: DocumentedCall, name: string): boolean {
  return parametersOf(call, 'path').every((one) => one.name !== name || wordOf(one) === undefined);
}

type Send = (call: DocumentedCall, url: string, sending: Sending) => Promise<Answered>;
export type Prepared = Readonly<Record<string, (scope: Scope) => Promise<string>>>;

/** Makes calls from what the document says of them, and the calls before them that they stand on. */
export class DocumentWalk {
  readonly calls: readonly DocumentedCall[];
  readonly schemas: DocumentSchemas;
  /** So long that it makes a telephone number of a mobile prefix. */
  private number = 1_000_000;

  constructor(
    document: OpenApiDocument,
    private readonly send: Send,
    /** Ids of what no call makes, by the end of the path that names it. */
    private readonly prepared: Prepared = {},
    /** What people of this run sign in with. */
    private readonly password = '',
  ) {
    this.schemas = DocumentSchemas.of(document);
    this.calls = documentedCalls(document);
  }

  find(operationId: string): DocumentedCall {
    const call = this.calls.find(({ operation }) => operation.operationId === operationId);
    if (call === undefined) throw new Error(`the document knows no ${operationId}`);
    return call;
  }

  /** Nothing has been made in it yet. @param which of several examples it takes */
  scope(which = 0): Scope {
    const number = (): string => String((this.number += 1));
    return new Scope(this, this.send, { prepared: this.prepared, password: this.password, which, number });
  }
}

interface Ready {
  readonly ids: Fields;
  /** The least that the document asks for; undefined where nothing need be sent. */
  readonly body: unknown;
  readonly example: unknown;
}

export class Scope {
  private readonly made = new Map<string, Promise<Made>>();

  constructor(
    private readonly walk: DocumentWalk,
    private readonly send: Send,
    private readonly run: {
      readonly prepared: Prepared;
      readonly password: string;
      readonly which: number;
      readonly number: () => string;
    },
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
    const sent = await this.exampleOf(call);
    const { statusCode, body } = await this.call(call, { ids: path, body: sent });
    if (statusCode !== 200 && statusCode !== 202) {
      throw new Error(`${call.operation.operationId}: ${statusCode} ${body} for ${JSON.stringify(sent)}`);
    }
    return { path, sent: (sent ?? {}) as Fields, answer: JSON.parse(body) as Fields };
  }

  /** Everything that a call needs to succeed, but for the call itself; its body is the least that the document asks for. */
  async prepare(call: DocumentedCall): Promise<Ready> {
    const example = await this.exampleOf(call);
    const body = this.leastOf(call, example);
    const ready = { ids: await this.idsOf(call), body, example };
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
    const asked = { ...shownQuery(call, rest.body), ...query };
    return await this.send(call, urlOf(call, ids, asked), { orgId, ...rest });
  }

  async idsOf(call: DocumentedCall): Promise<Fields> {
    const ids: Record<string, unknown> = {};
    const parameters = parametersOf(call, 'path');
    for (const [place, name = ''] of call.path.matchAll(/\{(\w+)\}/g)) {
      const until = call.path.slice(0, call.path.indexOf(place) + place.length);
      const prepared = Object.entries(this.run.prepared).find(([end]) => until.endsWith(end))?.[1];
      const word = parameters.filter((one) => one.name === name).map(wordOf)[0];
      ids[name] = word ?? (await (prepared?.(this) ?? this.valueOf(this.sourceOf(call, until))));
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

  /** The body that the document shows, with the things of this run in it; undefined where it takes none. */
  private async exampleOf({ operation }: DocumentedCall): Promise<unknown> {
    const { requestBody } = operation;
    if (requestBody === undefined) return undefined;
    const [schema] = Object.values(requestBody.content).map((content) => content.schema);
    const examples = schema?.examples ?? (isEmptyObject(schema) ? [{}] : []);
    if (examples.length === 0) throw new Error(`${operation.operationId} has no example`);
    return await this.ofThisRun(examples[this.run.which] ?? examples[0], '');
  }

  private async ofThisRun(value: unknown, name: string): Promise<unknown> {
    const source = OF_THIS_RUN[name];
    if (source !== undefined) {
      const made = await this.valueOf(source);
      return Array.isArray(value) ? [made] : made;
    }
    if (Array.isArray(value)) return await Promise.all(value.map((one) => this.ofThisRun(one, '')));
    if (isFields(value)) {
      const fields = Object.entries(value).map(
        async ([field, one]) => [field, await this.ofThisRun(one, field)] as const,
      );
      return Object.fromEntries(await Promise.all(fields));
    }
    if (name === 'oldPassword') return this.run.password;
    return typeof value === 'string' ? (UNIQUE[name]?.(value, this.run.number()) ?? value) : value;
  }

  /** The example without everything that the schema lets one leave out. */
  private leastOf(call: DocumentedCall, example: unknown): unknown {
    if (call.operation.requestBody?.required !== true) return undefined;
    return isFields(example) ? this.without(call, example, (body) => body) : example;
  }

  private without(call: DocumentedCall, given: Fields, whole: (part: Fields) => Fields): Fields {
    let left = given;
    for (const [name, value] of Object.entries(given)) {
      const { [name]: _, ...rest } = left;
      const none = { ...left, [name]: [] };
      if (this.walk.schemas.faultOfBody(call, whole(rest)) === undefined) left = rest;
      else if (Array.isArray(value)) {
        if (this.walk.schemas.faultOfBody(call, whole(none)) === undefined) left = none;
      } else if (isFields(value)) {
        const others = left;
        const inner = this.without(call, value, (part) => whole({ ...others, [name]: part }));
        left = { ...left, [name]: inner };
      }
    }
    return left;
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
}

function isEmptyObject(schema: JsonSchema | undefined): boolean {
  return schema?.type === 'object' && Object.keys(schema.properties ?? {}).length === 0;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The query that the document shows. It is about the body, so that it goes with one that may be left out. */
function shownQuery(call: DocumentedCall, body: unknown): Readonly<Record<string, string>> {
  if (body === undefined && call.operation.requestBody?.required === false) return {};
  const shown = parametersOf(call, 'query').flatMap(({ name, schema }) =>
    (schema.examples ?? []).slice(0, 1).map((example) => [name, String(example)] as const),
  );
  return Object.fromEntries(shown);
}

function urlOf(call: DocumentedCall, ids: Fields, query: Readonly<Record<string, string>>): string {
  const url = call.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(ids[name])));
  const asked = new URLSearchParams(query).toString();
  return asked === '' ? url : `${url}?${asked}`;
}
