import { Injectable } from '@nestjs/common';
import { ProviderHosts } from '../notifications/providers/provider-hosts.js';
import { ApiError } from '../shared/errors.js';
import type { IdentityProviderPlan } from './identity-provider.js';
import { IdentityProvidersStore, type IdentityProviderPlace } from './identity-providers.store.js';
import { identityProviderNotFound } from './manage-identity-providers.js';
import { ProviderRefused, ProviderUnavailable } from './provider-client.js';
import { readCertificate } from './saml/saml-certificates.js';
import { SamlClient } from './saml/saml-client.js';
import type { ReadSamlMetadata, SamlMetadata, SamlSettings } from './saml/saml-kind.js';
import { typedIn } from './saml/saml-rules.js';

/** As somebody types it. */
export interface GivenProvider {
  readonly plan: IdentityProviderPlan;
  readonly secret: string | undefined;
  /** XML of a provider that speaks SAML. */
  readonly metadata?: string | undefined;
}

/**
 * What a plan needs before it is stored, and that takes a while: metadata that is read elsewhere, a key of our own. Before the
 * transaction, since that must not wait for anybody.
 */
@Injectable()
export class PrepareProvider {
  constructor(
    private readonly saml: SamlClient,
    private readonly hosts: ProviderHosts,
    private readonly providers: IdentityProvidersStore,
  ) {}

  /** @throws ApiError invalid-argument, failed-precondition where metadata cannot be fetched */
  async forNew(given: GivenProvider): Promise<GivenProvider> {
    if (given.plan.kind !== 'saml') return given;
    return { plan: await this.complete(given), secret: await this.saml.makeKey() };
  }

  /** Without a secret: the key stays. @throws ApiError as `forNew` */
  async forChange(given: GivenProvider): Promise<GivenProvider> {
    return { ...given, plan: await this.complete(given) };
  }

  /** @throws ApiError not-found, failed-precondition where it has no address of its metadata, and as `forNew` */
  async metadataOf(place: IdentityProviderPlace): Promise<ReadSamlMetadata> {
    const found = await this.providers.find(place);
    if (found === undefined) throw identityProviderNotFound();
    const { provider } = found;
    if (provider.kind !== 'saml' || provider.settings.metadataUrl === undefined) {
      throw new ApiError('failed-precondition', 'The provider has no metadataUrl', 'IDP-Nm4ur');
    }
    const metadata = await this.fetchMetadata(provider.settings.metadataUrl);
    return { metadata, before: provider.settings };
  }

  private async fetchMetadata(url: string): Promise<SamlMetadata> {
    const problem = this.hosts.problemWithUrl(url);
    if (problem !== undefined) throw new ApiError('invalid-argument', `metadataUrl ${problem}`);
    try {
      return withCertificates(await this.saml.fetchMetadata(url));
    } catch (error) {
      if (error instanceof ProviderUnavailable) {
        // the error must not reveal whether a host exists or how it fails
        throw new ApiError('failed-precondition', 'The metadata could not be fetched', 'IDP-Mu6nf');
      }
      throw asArgument(error, 'metadataUrl');
    }
  }

  private async complete({ plan, metadata }: GivenProvider): Promise<IdentityProviderPlan> {
    if (plan.kind !== 'saml') return plan;
    const given = withCertificates(plan.settings);
    return {
      ...plan,
      settings: { ...given, ...(await this.missing(given, metadata)), typed: typedIn(given) },
    };
  }

  /** What was typed stands; what was left out is in the metadata. */
  private async missing(given: SamlSettings, metadata: string | undefined): Promise<Partial<SamlMetadata>> {
    const { entityId, ssoUrl, sloUrl, certificates, metadataUrl } = given;
    const isWhole = entityId !== undefined && ssoUrl !== undefined && certificates.length > 0;
    if (metadata === undefined && (isWhole || metadataUrl === undefined)) return {};
    const read =
      metadata === undefined ? await this.fetchMetadata(metadataUrl ?? '') : await this.read(metadata);
    return {
      entityId: entityId ?? read.entityId,
      ssoUrl: ssoUrl ?? read.ssoUrl,
      sloUrl: sloUrl ?? read.sloUrl,
      certificates: certificates.length > 0 ? certificates : read.certificates,
    };
  }

  private async read(xml: string): Promise<SamlMetadata> {
    try {
      return withCertificates(await this.saml.readMetadata(xml));
    } catch (error) {
      throw asArgument(error, 'metadata');
    }
  }
}

function withCertificates<T extends SamlMetadata>(metadata: T): T {
  return { ...metadata, certificates: [...new Set(metadata.certificates.map(readCertificate))] };
}

function asArgument(error: unknown, field: string): unknown {
  if (!(error instanceof ProviderRefused)) return error;
  return new ApiError(
    'invalid-argument',
    `${field} is not the metadata of an identity provider: ${error.message}`,
  );
}
