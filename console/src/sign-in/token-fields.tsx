import type { FormErrors, UseFormReturnType } from '@mantine/form';
import de from '../../../locales/console/de/sign-in.json';
import en from '../../../locales/console/en/sign-in.json';
import { words } from '../app/words.ts';
import { inWords, secondsOf } from '../shared/durations.ts';
import { between, DurationField, type OptionalNumber } from '../shared/fields.tsx';
import type { TokenBody, TokenPolicy } from './policies.ts';

/** The lifetimes of tokens, the same fields for an organization and for the instance. */

const t = words({ en, de });

const NAMES = [
  'accessTokenLifetime',
  'idTokenLifetime',
  'refreshTokenIdleExpiration',
  'refreshTokenExpiration',
] as const;
type Name = (typeof NAMES)[number];
const OF_REFRESH_TOKENS = new Set<Name>(['refreshTokenIdleExpiration', 'refreshTokenExpiration']);

export interface TokenValues extends Record<string, OptionalNumber> {
  readonly accessTokenLifetime: OptionalNumber;
  readonly idTokenLifetime: OptionalNumber;
  readonly refreshTokenIdleExpiration: OptionalNumber;
  readonly refreshTokenExpiration: OptionalNumber;
}

function each(value: (name: Name) => OptionalNumber): TokenValues {
  return Object.fromEntries(NAMES.map((name) => [name, value(name)])) as unknown as TokenValues;
}

/** A field that says what would hold anyway is empty. */
export function tokenValues(policy: TokenPolicy, inherited: TokenPolicy | undefined): TokenValues {
  return each((name) => (policy[name] === inherited?.[name] ? '' : secondsOf(policy[name])));
}

/** What is left out is inherited, and follows it. */
export function tokenBody(values: TokenValues): TokenBody {
  return Object.fromEntries(
    NAMES.flatMap((name) => (values[name] === '' ? [] : [[name, `${values[name]}s`]])),
  );
}

/** @param most of access and ID tokens, in seconds */
export function tokenErrors(values: TokenValues, most: number): FormErrors {
  return Object.fromEntries(
    NAMES.map((name) => [
      name,
      OF_REFRESH_TOKENS.has(name)
        ? between(300, 31_536_000, inWords)(values[name])
        : between(60, most, inWords)(values[name]),
    ]),
  );
}

interface TokenFieldsProperties {
  readonly form: UseFormReturnType<TokenValues>;
  readonly inherited?: TokenPolicy | undefined;
  readonly source?: string;
}

export function TokenFields({ form, inherited, source }: TokenFieldsProperties) {
  return NAMES.map((name) => (
    <DurationField
      key={name}
      label={t.tokens[name]}
      help={t.tokens.help[name]}
      inherited={inherited && secondsOf(inherited[name])}
      {...(source !== undefined && { source })}
      units={['minutes', 'hours', 'days']}
      {...form.getInputProps(name)}
    />
  ));
}
