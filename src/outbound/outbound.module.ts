import { Global, Module } from '@nestjs/common';
import { ClaimsEndpoint } from '../domain/claims-webhook/claims-endpoint.js';
import { LdapDirectory } from '../domain/identity-providers/ldap/ldap-directory.js';
import { ProviderClient } from '../domain/identity-providers/provider-client.js';
import { SamlClient } from '../domain/identity-providers/saml/saml-client.js';
import { BackChannel } from '../domain/logout/back-channel.js';
import { ProviderChannels } from '../domain/notifications/providers/provider-channels.js';
import { ProviderHosts } from '../domain/notifications/providers/provider-hosts.js';
import { TxtRecords } from '../domain/organizations/txt-records.js';
import { OldSystem } from '../domain/user-migration/old-system.js';
import { WebhookEndpoint } from '../domain/webhooks/webhook-endpoint.js';
import { BreachedPasswordsModule } from './breached-passwords.module.js';
import { ClientDocumentsModule } from './client-documents.module.js';
import { DnsTxtRecords } from './dns-txt-records.js';
import { HttpBackChannel } from './http-back-channel.js';
import { OutboundLdapDirectory } from './ldap/outbound-ldap-directory.js';
import { OAuthProviderClient } from './oauth/oauth-provider-client.js';
import { OutboundChannels } from './outbound-channels.js';
import { OutboundHosts } from './outbound-hosts.js';
import { OutboundOldSystem } from './outbound-old-system.js';
import { SamlProviderClient } from './saml/saml-provider-client.js';
import { HttpClaimsEndpoint } from './webhooks/http-claims-endpoint.js';
import { HttpWebhookEndpoint } from './webhooks/http-webhook-endpoint.js';

const OUTBOUND_BINDINGS = [
  { provide: ProviderChannels, useClass: OutboundChannels },
  { provide: ProviderHosts, useClass: OutboundHosts },
  { provide: TxtRecords, useClass: DnsTxtRecords },
  { provide: BackChannel, useClass: HttpBackChannel },
  { provide: ProviderClient, useClass: OAuthProviderClient },
  { provide: SamlClient, useClass: SamlProviderClient },
  { provide: WebhookEndpoint, useClass: HttpWebhookEndpoint },
  { provide: OldSystem, useClass: OutboundOldSystem },
  { provide: ClaimsEndpoint, useClass: HttpClaimsEndpoint },
  { provide: LdapDirectory, useClass: OutboundLdapDirectory },
];

/** The doors to the outside: providers of mail and SMS, DNS, applications. Global, as the storage is. */
@Global()
@Module({
  imports: [BreachedPasswordsModule, ClientDocumentsModule],
  providers: OUTBOUND_BINDINGS,
  exports: OUTBOUND_BINDINGS.map(({ provide }) => provide),
})
export class OutboundModule {}
