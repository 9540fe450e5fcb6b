import { Get, Param } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { ApiError } from '../../domain/shared/errors.js';
import { MOST_BULK_OPERATIONS } from './bulk-calls.js';
import { MOST_RESULTS } from './list-query.js';
import { listResponse } from './list-response.js';
import { scimBase } from './location.js';
import { Call, type ScimAnswer, type ScimCall } from './scim-call.js';
import { ScimController } from './scim-controller.js';
import { GROUP_ATTRIBUTES, GROUP_SCHEMA, USER_ATTRIBUTES, USER_SCHEMA } from './user-attributes.js';

const SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Schema';
const RESOURCE_TYPE = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType';
const PROVIDER = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig';
/** What the parser of JSON takes. */
const MOST_BULK_BYTES = 4 * 1024 * 1024;

const SCHEMAS = [
  { id: USER_SCHEMA, name: 'User', description: 'A person of the organization', attributes: USER_ATTRIBUTES },
  { id: GROUP_SCHEMA, name: 'Group', description: 'A role of a project', attributes: GROUP_ATTRIBUTES },
] as const;
const TYPES = [
  { name: 'User', endpoint: '/Users', schema: USER_SCHEMA, description: 'A person of the organization' },
  { name: 'Group', endpoint: '/Groups', schema: GROUP_SCHEMA, description: 'A role of a project' },
] as const;

/** RFC 7644 §4: what is offered, and what a resource is made of. */
@ScimController('')
export class ScimDiscoveryController {
  constructor(private readonly config: Config) {}

  @Get('ServiceProviderConfig')
  provider(@Call() call: ScimCall): ScimAnswer {
    const offered = { supported: true };
    const body = {
      schemas: [PROVIDER],
      documentationUri: 'https://datatracker.ietf.org/doc/html/rfc7644',
      patch: offered,
      bulk: { ...offered, maxOperations: MOST_BULK_OPERATIONS, maxPayloadSize: MOST_BULK_BYTES },
      filter: { ...offered, maxResults: MOST_RESULTS },
      changePassword: offered,
      sort: { supported: false },
      etag: offered,
      authenticationSchemes: [
        {
          type: 'oauthbearertoken',
          name: 'SCIM token',
          description: 'A token of the organization, made by the management API or the console.',
          specUri: 'https://datatracker.ietf.org/doc/html/rfc6750',
          primary: true,
        },
      ],
      meta: { resourceType: 'ServiceProviderConfig', location: `${this.base(call)}/ServiceProviderConfig` },
    };
    return { status: 200, body };
  }

  @Get('Schemas')
  schemas(@Call() call: ScimCall): ScimAnswer {
    refuseFilter(call);
    const all = SCHEMAS.map((schema) => this.schemaBody(call, schema));
    return { status: 200, body: listResponse(all, all.length, 1) };
  }

  @Get('Schemas/:id')
  schema(@Call() call: ScimCall, @Param('id') id: string): ScimAnswer {
    const schema = SCHEMAS.find((one) => one.id === id);
    if (schema === undefined) throw new ApiError('not-found', 'Schema could not be found');
    return { status: 200, body: this.schemaBody(call, schema) };
  }

  @Get('ResourceTypes')
  types(@Call() call: ScimCall): ScimAnswer {
    refuseFilter(call);
    const all = TYPES.map((type) => this.typeBody(call, type));
    return { status: 200, body: listResponse(all, all.length, 1) };
  }

  @Get('ResourceTypes/:name')
  type(@Call() call: ScimCall, @Param('name') name: string): ScimAnswer {
    const type = TYPES.find((one) => one.name === name);
    if (type === undefined) throw new ApiError('not-found', 'Resource type could not be found');
    return { status: 200, body: this.typeBody(call, type) };
  }

  private schemaBody(call: ScimCall, schema: (typeof SCHEMAS)[number]): object {
    const location = `${this.base(call)}/Schemas/${schema.id}`;
    return { schemas: [SCHEMA], ...schema, meta: { resourceType: 'Schema', location } };
  }

  private typeBody(call: ScimCall, type: (typeof TYPES)[number]): object {
    const location = `${this.base(call)}/ResourceTypes/${type.name}`;
    return {
      schemas: [RESOURCE_TYPE],
      id: type.name,
      ...type,
      meta: { resourceType: 'ResourceType', location },
    };
  }

  private base({ token }: ScimCall): string {
    return scimBase(this.config.app.issuer, token.orgId);
  }
}

/** RFC 7644 §4: 403, so that nobody takes an answer for one that was filtered. */
function refuseFilter({ query }: ScimCall): void {
  if ((query as { readonly filter?: unknown } | undefined)?.filter === undefined) return;
  throw new ApiError('permission-denied', 'what the service offers is not filtered');
}
