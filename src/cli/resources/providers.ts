import { Command } from '@commander-js/extra-typings';
import { examples } from '../shell/help.js';
import type { Terminal } from '../shell/terminal.js';
import { CollectionCommands, scopeOption } from './collection.js';

interface Provider {
  readonly id: string;
  readonly state: string;
  readonly kind: string;
  readonly name: string;
}

interface Created {
  readonly id: string;
  readonly callbackUrl: string;
  readonly serviceProviderMetadataUrl?: string;
}

/** `identity providers`: where users of an organization sign in elsewhere. */
export function providersGroup(terminal: Terminal) {
  const of = new CollectionCommands(terminal, {
    group: 'providers',
    noun: 'identity provider',
    one: 'an identity provider',
    nouns: 'identity providers',
    place: scopeOption,
    path: ({ instance }) => (instance ? '/admin/v1/idps' : '/management/v1/idps'),
    placeExample: '',
    field: 'idp',
    shownBeside: ['id', 'state', 'callbackUrl', 'serviceProviderMetadataUrl', 'hasSecret', 'expirationDate'],
    hasSecrets: true,
    lineOf: ({ id, state, kind, name }: Provider) => [id, state, kind, name].join('  '),
  });
  return new Command('providers')
    .summary('Show and change external identity providers')
    .description(
      'OpenID Connect, OAuth 2.0, SAML and LDAP providers of an organization, or with --instance those of the instance: ' +
        'docs/identity-providers.md.',
    )
    .addCommand(of.list())
    .addCommand(of.get())
    .addCommand(
      of.create(({ callbackUrl, serviceProviderMetadataUrl }: Created) =>
        [
          `\nRegister at the provider: ${callbackUrl}`,
          ...(serviceProviderMetadataUrl === undefined
            ? []
            : [`\nMetadata for the provider: ${serviceProviderMetadataUrl}`]),
        ].join(''),
      ),
    )
    .addCommand(of.update('Secrets that it leaves out stay.'))
    .addCommand(of.change('activate', '_activate', 'Let users sign in with a provider', 'is active'))
    .addCommand(
      of.change(
        'deactivate',
        '_deactivate',
        'Stop sign-ins with a provider; other ways to sign in stay available',
        'is inactive',
      ),
    )
    .addCommand(
      of.change('refresh', '_refresh', 'Read the metadata of a SAML provider again now', 'was read again'),
    )
    .addCommand(of.remove('The identities of its users are removed with it.'))
    .addHelpText(
      'after',
      examples('identity providers list', 'identity providers create --file acme-oidc.json'),
    );
}
