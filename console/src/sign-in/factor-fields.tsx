import { Alert, Anchor, Text } from '@mantine/core';
import type { FormErrors, UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import de from '../../../locales/console/de/sign-in.json';
import en from '../../../locales/console/en/sign-in.json';
import { MOST_TRUSTED_DAYS } from '../../../src/domain/policies/policy-limits.ts';
import { answered, api } from '../api/client.ts';
import { untilThere } from '../app/queries.ts';
import { words } from '../app/words.ts';
import { inWords, secondsOf } from '../shared/durations.ts';
import {
  between,
  ChoiceField,
  DurationField,
  NumberField,
  SeveralField,
  type Choice,
  type OptionalNumber,
} from '../shared/fields.tsx';
import { requiredOf, type FactorBody, type FactorPolicy, type Required } from './policies.ts';

/** The fields about second factors, the same for an organization and for the instance. */

const t = words({ en, de });

type Kind = FactorPolicy['kinds'][number];

export interface FactorValues extends Record<string, unknown> {
  readonly required: Required;
  readonly kinds: readonly Kind[];
  readonly trustedBrowserDays: OptionalNumber;
  readonly passkeyCounter: FactorPolicy['passkeyCounter'];
  readonly stepUp: FactorPolicy['stepUp'];
  readonly stepUpMaxAge: OptionalNumber;
}

function choicesOf<Value extends string>(
  of: Readonly<Record<Value, { readonly label: string; readonly help?: string }>>,
): readonly Choice<Value>[] {
  return (Object.keys(of) as Value[]).map((value) => ({ value, ...of[value] }));
}

const REQUIRED = choicesOf<Required>(t.factors.requiredChoices);
const KINDS = choicesOf<Kind>(t.factors.kindChoices);
const COUNTER = choicesOf<FactorPolicy['passkeyCounter']>(t.factors.passkeyCounterChoices);
const STEP_UP = choicesOf<FactorPolicy['stepUp']>(t.factors.stepUpChoices);
const STRICTNESS: readonly Required[] = ['off', 'offered', 'owners', 'all'];

export function factorValues(policy: FactorPolicy, isDefault: boolean): FactorValues {
  const { kinds, passkeyCounter, stepUp } = policy;
  return {
    required: requiredOf(policy),
    kinds,
    trustedBrowserDays: isDefault ? '' : Number(policy.trustedBrowserDays),
    passkeyCounter,
    stepUp,
    stepUpMaxAge: isDefault ? '' : secondsOf(policy.stepUpMaxAge),
  };
}

/**
 * What is left empty is sent as it is inherited: the API would take the service's own default for it. So is what is wrong in a field
 * that is not shown: nobody could mend it.
 */
export function factorBody(values: FactorValues, inherited: FactorPolicy): FactorBody {
  const { required, kinds, passkeyCounter, stepUp, trustedBrowserDays: days, stepUpMaxAge: age } = values;
  const isRequired = required === 'owners' || required === 'all';
  const wrong = fieldErrors(values);
  return {
    secondFactor: isRequired ? 'required' : required,
    requiredFor: isRequired ? required : inherited.requiredFor,
    kinds: wrong.kinds === null ? [...kinds] : inherited.kinds,
    trustedBrowserDays:
      days === '' || wrong.trustedBrowserDays !== null ? inherited.trustedBrowserDays : days,
    passkeyCounter,
    stepUp,
    stepUpMaxAge: age === '' || wrong.stepUpMaxAge !== null ? inherited.stepUpMaxAge : `${age}s`,
  };
}

/** Of the fields that are shown. */
export function factorErrors(values: FactorValues): FormErrors {
  const { kinds, trustedBrowserDays, stepUpMaxAge } = fieldErrors(values);
  return {
    ...(values.required !== 'off' && { kinds, trustedBrowserDays }),
    ...(values.stepUp !== 'off' && { stepUpMaxAge }),
  };
}

function fieldErrors(values: FactorValues) {
  return {
    kinds: values.kinds.length === 0 ? t.factors.noKind : null,
    trustedBrowserDays: between(0, MOST_TRUSTED_DAYS)(values.trustedBrowserDays),
    stepUpMaxAge: between(60, 86_400, inWords)(values.stepUpMaxAge),
  };
}

/** Whoever requires it of everybody may be the first to be kept out. */
function OwnFactor({ kinds }: { readonly kinds: readonly Kind[] }) {
  const { data: own } = useQuery({
    queryKey: ['me', 'factors'],
    queryFn: async () => await answered(api.GET('/auth/v1/users/me/factors')),
    refetchInterval: untilThere,
  });
  if (own === undefined) return null;
  const has: Readonly<Record<Kind, boolean>> = { ...own, passkey: own.passkeys > 0 };
  if (kinds.some((kind) => has[kind])) return null;
  return (
    <Text size="sm" fw={600} mt="xs">
      {t.factors.noneYourself} <Anchor href="/account/security">{t.factors.setUpYourself}</Anchor>
    </Text>
  );
}

interface FactorFieldsProperties {
  readonly form: UseFormReturnType<FactorValues>;
  readonly inherited?: FactorPolicy | undefined;
  readonly source?: string;
}

export function FactorFields({ form, inherited, source }: FactorFieldsProperties) {
  const from = { ...(source !== undefined && { source }) };
  const { required, stepUp } = form.values;
  const before = form.getInitialValues().required;
  return (
    <>
      <ChoiceField
        label={t.factors.required}
        help={t.factors.help.required}
        choices={REQUIRED}
        inherited={inherited && requiredOf(inherited)}
        {...from}
        {...form.getInputProps('required')}
      />
      {required !== before && (
        <Alert
          variant="light"
          color={STRICTNESS.indexOf(required) < STRICTNESS.indexOf(before) ? 'yellow' : 'gray'}
          title={t.factors.whatHappens}
        >
          {t.factors.happens[required]}
          {required === 'all' && <OwnFactor kinds={form.values.kinds} />}
        </Alert>
      )}
      {required !== 'off' && (
        <>
          <SeveralField
            label={t.factors.kinds}
            help={t.factors.help.kinds}
            choices={KINDS}
            {...form.getInputProps('kinds')}
          />
          <NumberField
            label={t.factors.trustedBrowserDays}
            help={t.factors.help.trustedBrowserDays}
            inherited={inherited && Number(inherited.trustedBrowserDays)}
            {...from}
            {...form.getInputProps('trustedBrowserDays')}
          />
        </>
      )}
      <ChoiceField
        label={t.factors.passkeyCounter}
        help={t.factors.help.passkeyCounter}
        choices={COUNTER}
        inherited={inherited?.passkeyCounter}
        {...from}
        {...form.getInputProps('passkeyCounter')}
      />
      <ChoiceField
        label={t.factors.stepUp}
        help={t.factors.help.stepUp}
        choices={STEP_UP}
        inherited={inherited?.stepUp}
        {...from}
        {...form.getInputProps('stepUp')}
      />
      {stepUp !== 'off' && (
        <DurationField
          label={t.factors.stepUpMaxAge}
          help={t.factors.help.stepUpMaxAge}
          inherited={inherited && secondsOf(inherited.stepUpMaxAge)}
          units={['minutes', 'hours']}
          {...from}
          {...form.getInputProps('stepUpMaxAge')}
        />
      )}
    </>
  );
}
