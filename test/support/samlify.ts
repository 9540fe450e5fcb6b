/**
 * What is used of samlify, an implementation of SAML that is not ours. Its own types bring those of browsers along, which would
 * count in every file.
 */
interface Entity {
  readonly entityMeta: { getEntityID(): string };
}

interface TheirProvider extends Entity {
  parseLoginRequest(
    service: Entity,
    binding: 'redirect',
    request: { readonly query: Readonly<Record<string, string>>; readonly octetString: string },
  ): Promise<{ readonly extract: { readonly request: Readonly<Record<string, string>> } }>;
  createLoginResponse(
    service: Entity,
    request: object,
    binding: 'post',
    user: object,
    fill: (template: string) => { readonly id: string; readonly context: string },
  ): Promise<{ readonly context: string }>;
}

interface Samlify {
  readonly IdentityProvider: (settings: object) => TheirProvider;
  readonly ServiceProvider: (settings: { readonly metadata: string }) => Entity;
  readonly setSchemaValidator: (validator: { validate(xml: string): Promise<string> }) => void;
  readonly SamlLib: {
    readonly defaultLoginResponseTemplate: { readonly context: string };
    replaceTagsByValue(template: string, values: Readonly<Record<string, string | undefined>>): string;
  };
}

const NAME: string = 'samlify';

export async function samlify(): Promise<Samlify> {
  return (await import(NAME)) as Samlify;
}
