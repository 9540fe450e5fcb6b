import de from '../../../locales/console/de/providers.json';
import en from '../../../locales/console/en/providers.json';
import { answered, api, type Answered, type Sent } from '../api/client.ts';
import { words } from '../app/words.ts';
import type { Tone } from '../shared/state.tsx';

const t = words({ en, de });

export type Provider = Answered<'/admin/v1/notification_providers/{id}', 'get'>['provider'];
type ProviderBody = Sent<'/admin/v1/notification_providers', 'post'>;
export type ProviderKind = Provider['kind'];
export type TestResult = Answered<'/admin/v1/notification_providers/{id}/_test', 'post'>;

export const KINDS: Readonly<Record<ProviderKind, string>> = t.kinds;
export const CHANNELS: Readonly<Record<Provider['channel'], string>> = t.channels;

export const PROVIDER_STATES: Readonly<
  Record<Provider['state'], { readonly label: string; readonly tone: Tone }>
> = {
  STATE_ACTIVE: { label: t.states.active, tone: 'good' },
  STATE_INACTIVE: { label: t.states.inactive, tone: 'quiet' },
};

export const PROVIDERS_KEY = ['providers'] as const;

/** An instance has a handful: all of them are one page. */
export async function listProviders(): Promise<readonly Provider[]> {
  const params = { query: { limit: '1000', asc: 'true' as const } };
  return (await answered(api.GET('/admin/v1/notification_providers', { params }))).result ?? [];
}

export async function readProvider(id: string): Promise<Provider> {
  const params = { path: { id } };
  return (await answered(api.GET('/admin/v1/notification_providers/{id}', { params }))).provider;
}

/** What the form holds. All are texts; the secret is never read back. */
// oxlint-disable-next-line typescript/consistent-type-definitions -- forms take records, which an interface is not
export type ProviderValues = {
  readonly kind: ProviderKind;
  readonly name: string;
  readonly channel: Provider['channel'];
  readonly priority: string;
  readonly ratePerSecond: string;
  readonly connections: string;
  readonly host: string;
  readonly port: string;
  readonly tls: NonNullable<Provider['tls']>;
  readonly user: string;
  readonly from: string;
  readonly replyTo: string;
  readonly accountSid: string;
  readonly messagingServiceSid: string;
  readonly verifyServiceSid: string;
  readonly url: string;
  readonly secret: string;
};

export function valuesOf(provider?: Provider): ProviderValues {
  return {
    kind: provider?.kind ?? 'smtp',
    name: provider?.name ?? '',
    channel: provider?.channel ?? 'email',
    priority: String(provider?.priority ?? 100),
    ratePerSecond: String(provider?.ratePerSecond ?? ''),
    connections: String(provider?.connections ?? 8),
    host: provider?.host ?? '',
    port: String(provider?.port ?? ''),
    tls: provider?.tls ?? 'starttls',
    user: provider?.user ?? '',
    from: provider?.from ?? '',
    replyTo: provider?.replyTo ?? '',
    accountSid: provider?.accountSid ?? '',
    messagingServiceSid: provider?.messagingServiceSid ?? '',
    verifyServiceSid: provider?.verifyServiceSid ?? '',
    url: provider?.url ?? '',
    secret: '',
  };
}

/** The fields of the kind that have something in them. */
export function bodyOf(values: ProviderValues): ProviderBody {
  const { kind, secret } = values;
  const numbers = {
    ...number('priority', values),
    ...number('connections', values),
    ...number('ratePerSecond', values),
  };
  const common = { kind, name: values.name.trim(), ...numbers };
  switch (kind) {
    case 'smtp':
      return {
        ...common,
        ...filled({ host: values.host, user: values.user, from: values.from, replyTo: values.replyTo }),
        ...number('port', values),
        tls: values.tls,
        ...(secret !== '' && { password: secret }),
      };
    case 'twilio_messages':
      return {
        ...common,
        ...filled({
          accountSid: values.accountSid,
          from: values.from,
          messagingServiceSid: values.messagingServiceSid,
        }),
        ...(secret !== '' && { authToken: secret }),
      };
    case 'twilio_verify':
      return {
        ...common,
        ...filled({ accountSid: values.accountSid, verifyServiceSid: values.verifyServiceSid }),
        ...(secret !== '' && { authToken: secret }),
      };
    case 'http':
      return {
        ...common,
        channel: values.channel,
        ...filled({ url: values.url }),
        ...(secret !== '' && { signingKey: secret }),
      };
  }
}

/** One that is left empty is left out: `Number('')` is 0, which would be sent for it. */
function number<Name extends 'priority' | 'connections' | 'ratePerSecond' | 'port'>(
  name: Name,
  values: ProviderValues,
): Partial<Record<Name, number>> {
  const text = values[name].trim();
  return (text === '' ? {} : { [name]: Number(text) }) as Partial<Record<Name, number>>;
}

function filled<Fields extends Readonly<Record<string, string>>>(fields: Fields): Partial<Fields> {
  const entries = Object.entries(fields).map(([name, value]) => [name, value.trim()] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== '')) as Partial<Fields>;
}
