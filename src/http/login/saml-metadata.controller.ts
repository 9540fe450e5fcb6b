import { Controller, Get, Header, Param } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { IdentityProvidersStore } from '../../domain/identity-providers/identity-providers.store.js';
import { identityProviderNotFound } from '../../domain/identity-providers/manage-identity-providers.js';
import { SamlClient } from '../../domain/identity-providers/saml/saml-client.js';
import type { IdentityProviderId } from '../../domain/shared/ids.js';
import { addressesAt } from '../shared/pages/external-callback.js';
import { PathId } from '../shared/path-id.js';

/** Who we are to a provider that speaks SAML: names, addresses and a public key, for whoever sets it up there. */
@Controller('login/idps/:id/metadata')
export class SamlMetadataController {
  constructor(
    private readonly providers: IdentityProvidersStore,
    private readonly saml: SamlClient,
    private readonly config: Config,
  ) {}

  @Get()
  @Header('content-type', 'application/samlmetadata+xml; charset=utf-8')
  @Header('cache-control', 'public, max-age=300')
  async show(@Param('id', new PathId(identityProviderNotFound)) id: IdentityProviderId): Promise<string> {
    const provider = await this.providers.findAny(id);
    if (provider?.kind !== 'saml') throw identityProviderNotFound();
    return await this.saml.ownMetadata(provider, addressesAt(this.config.app.issuer.url, id));
  }
}
