import { Body, Delete, Get, Injectable, Param, Post, Put } from '@nestjs/common';
import { z } from 'zod';
import { Config } from '../../../config/config.js';
import { IdempotentRequests, type WireAnswer } from '../../../domain/idempotency/idempotent-requests.js';
import type { ProviderKind, ProviderState } from '../../../domain/identity-providers/identity-provider.js';
import {
  IdentityProvidersStore,
  type IdentityProviderRecord,
} from '../../../domain/identity-providers/identity-providers.store.js';
import {
  identityProviderNotFound,
  ManageIdentityProviders,
} from '../../../domain/identity-providers/manage-identity-providers.js';
import { PrepareProvider } from '../../../domain/identity-providers/prepare-provider.js';
import type { IdentityProviderId, OrgId } from '../../../domain/shared/ids.js';
import { changeAnswer } from '../answers.js';
import { Call, type ApiCall } from '../api-call.js';
import { checkBody } from '../body.pipe.js';
import { ActingOrg } from '../caller.js';
import { namedSearchBody, nothingBody, pageQuery } from '../lists.js';
import { Operation } from '../operation.js';
import { changeIn, ownerIn, type OwnerScope } from '../owner-scope.js';
import { addressesAt } from '../pages/external-callback.js';
import { PathId } from '../path-id.js';
import {
  createdIdentityProviderAnswer,
  identityProviderAnswer,
  identityProviderBody,
  identityProvidersAnswer,
  newIdentityProviderBody,
} from '../schemas/identity-provider.schemas.js';

const Id = () => Param('id', new PathId(identityProviderNotFound));

const SCOPES = {
  organization: { read: 'org.idp.read', write: 'org.idp.write' },
  instance: { read: 'iam.idp.read', write: 'iam.idp.write' },
} as const;

/** Whoever else people may sign in with: providers of the organization that the call acts in, or of the instance. */
export function identityProvidersOf(scope: OwnerScope) {
  const { read, write } = SCOPES[scope];

  @Injectable()
  abstract class ScopedIdentityProvidersController {
    constructor(
      private readonly idempotentRequests: IdempotentRequests,
      private readonly manage: ManageIdentityProviders,
      private readonly prepare: PrepareProvider,
      private readonly providers: IdentityProvidersStore,
      private readonly config: Config,
    ) {}

    @Post()
    @Operation({
      summary: `Add an identity provider of the ${scope}`,
      description: 'Nobody signs in with it before it is activated. Its secret is shown to nobody again.',
      permission: write,
      stepUp: 'always',
      answer: createdIdentityProviderAnswer,
    })
    async add(
      @Call() call: ApiCall,
      @Body({ schema: newIdentityProviderBody }) given: z.output<typeof newIdentityProviderBody>,
    ): Promise<WireAnswer> {
      return await this.idempotentRequests.answer(call, async () => {
        const { plan, secret } = await this.prepare.forNew(given);
        return async (tx) => {
          const added = await this.manage.add(tx, ownerIn(scope, call.orgId), plan, secret, call.caller);
          return { ...added, ...this.addresses(added.id, plan.kind) };
        };
      });
    }

    @Post('_search')
    @Operation({
      summary: `Search the identity providers of the ${scope}`,
      permission: read,
      answer: identityProvidersAnswer,
    })
    async list(
      @ActingOrg() orgId: OrgId,
      @Body({ schema: namedSearchBody }) search: z.output<typeof namedSearchBody>,
    ) {
      const [page, ownersRelyOnProviders] = await Promise.all([
        this.providers.list(ownerIn(scope, orgId), pageQuery(search)),
        this.providers.ownersRelyOnProviders(ownerIn(scope, orgId)),
      ]);
      const items = page.items.map((record) => this.withCallback(record));
      return { page: { ...page, items }, ownersRelyOnProviders };
    }

    @Get(':id')
    @Operation({
      summary: `Find an identity provider of the ${scope}`,
      permission: read,
      answer: z.object({ idp: identityProviderAnswer }),
    })
    async find(@ActingOrg() orgId: OrgId, @Id() id: IdentityProviderId) {
      const found = await this.providers.find({ orgId: ownerIn(scope, orgId), id });
      if (found === undefined) throw identityProviderNotFound();
      return { idp: this.withCallback(found) };
    }

    @Put(':id')
    @Operation({
      summary: `Replace the settings of an identity provider of the ${scope}`,
      description:
        'Without a secret the stored one stays, unless it would go elsewhere. What says who the provider is cannot be ' +
        'changed, since its subjects would become other people.',
      permission: write,
      stepUp: 'always',
      ifMatch: true,
      answer: changeAnswer,
    })
    async replace(
      @Call() call: ApiCall,
      @Id() id: IdentityProviderId,
      @Body({ schema: identityProviderBody }) given: z.output<typeof identityProviderBody>,
    ): Promise<WireAnswer> {
      const change = changeIn(scope, call, id);
      return await this.idempotentRequests.changePrepared(call, async () => {
        const { plan, secret } = await this.prepare.forChange(given);
        return (tx) => this.manage.replace(tx, change, plan, secret);
      });
    }

    @Delete(':id')
    @Operation({
      summary: `Remove an identity provider of the ${scope}`,
      description: 'With all identities of users there.',
      permission: write,
      answer: changeAnswer,
    })
    async remove(@Call() call: ApiCall, @Id() id: IdentityProviderId): Promise<WireAnswer> {
      checkBody(nothingBody, call.body);
      const change = changeIn(scope, call, id);
      return await this.idempotentRequests.change(call, (tx) => this.manage.remove(tx, change));
    }

    @Post(':id/_activate')
    @Operation({
      summary: `Let people sign in with an identity provider of the ${scope}`,
      permission: write,
      stepUp: 'always',
      answer: changeAnswer,
    })
    async activate(@Call() call: ApiCall, @Id() id: IdentityProviderId): Promise<WireAnswer> {
      return await this.setState(call, id, 'active');
    }

    @Post(':id/_deactivate')
    @Operation({
      summary: `Let nobody sign in with an identity provider of the ${scope}`,
      permission: write,
      stepUp: 'always',
      answer: changeAnswer,
    })
    async deactivate(@Call() call: ApiCall, @Id() id: IdentityProviderId): Promise<WireAnswer> {
      return await this.setState(call, id, 'inactive');
    }

    @Post(':id/_refresh')
    @Operation({
      summary: `Read the metadata of an identity provider of the ${scope} again`,
      description:
        'Of a provider that speaks SAML, from its metadataUrl: where people are sent, and its certificates.',
      permission: write,
      stepUp: 'always',
      answer: changeAnswer,
    })
    async refresh(@Call() call: ApiCall, @Id() id: IdentityProviderId): Promise<WireAnswer> {
      checkBody(nothingBody, call.body);
      const change = changeIn(scope, call, id);
      return await this.idempotentRequests.changePrepared(call, async () => {
        const metadata = await this.prepare.metadataOf(change);
        return (tx) => this.manage.takeMetadata(tx, change, metadata);
      });
    }

    private async setState(call: ApiCall, id: IdentityProviderId, state: ProviderState): Promise<WireAnswer> {
      checkBody(nothingBody, call.body);
      const change = changeIn(scope, call, id);
      return await this.idempotentRequests.change(call, (tx) => this.manage.setState(tx, change, state));
    }

    private withCallback(record: IdentityProviderRecord) {
      return { ...record, ...this.addresses(record.provider.id, record.provider.kind) };
    }

    private addresses(id: IdentityProviderId, kind: ProviderKind) {
      const { callbackUrl, entityId } = addressesAt(this.config.app.issuer.url, id);
      return { callbackUrl, ...(kind === 'saml' && { serviceProviderMetadataUrl: entityId }) };
    }
  }

  return ScopedIdentityProvidersController;
}
