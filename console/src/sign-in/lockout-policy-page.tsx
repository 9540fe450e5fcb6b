import { Alert } from '@mantine/core';
import de from '../../../locales/console/de/sign-in.json';
import en from '../../../locales/console/en/sign-in.json';
import { say, words } from '../app/words.ts';
import { inWords, secondsOf } from '../shared/durations.ts';
import { between, DurationField, NumberField, type OptionalNumber } from '../shared/fields.tsx';
import { lockoutPolicy, type LockoutPolicy } from './policies.ts';
import { PolicyPage } from './policy-page.tsx';

const t = words({ en, de });

interface Values extends Record<string, OptionalNumber> {
  readonly freePasswordAttempts: OptionalNumber;
  readonly firstWait: OptionalNumber;
  readonly maxPasswordAttempts: OptionalNumber;
  readonly lockDuration: OptionalNumber;
}

const NOTHING: Values = {
  freePasswordAttempts: '',
  firstWait: '',
  maxPasswordAttempts: '',
  lockDuration: '',
};

function own(policy: LockoutPolicy): Values {
  return {
    freePasswordAttempts: Number(policy.freePasswordAttempts),
    firstWait: secondsOf(policy.firstWait),
    maxPasswordAttempts: Number(policy.maxPasswordAttempts),
    lockDuration: secondsOf(policy.lockDuration),
  };
}

/** With what is inherited where a field is empty. */
function inEffect(values: Values, inherited: LockoutPolicy): Record<keyof Values, number> {
  const usual = own(inherited);
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value === '' ? usual[name] : value]),
  ) as Record<keyof Values, number>;
}

/** What happens after wrong passwords. */
export function LockoutPolicyPage() {
  return (
    <PolicyPage
      kind={lockoutPolicy}
      valuesOf={({ policy, isDefault }) => (isDefault ? NOTHING : own(policy))}
      bodyOf={(values, { inherited }) => {
        const { firstWait, lockDuration, ...attempts } = inEffect(values, inherited);
        return { ...attempts, firstWait: `${firstWait}s`, lockDuration: `${lockDuration}s` };
      }}
      validate={(values, { inherited }) => {
        const { freePasswordAttempts: free = 0, maxPasswordAttempts: most = 0 } = inEffect(values, inherited);
        return {
          freePasswordAttempts:
            between(1, 100)(values.freePasswordAttempts) ?? (free > most ? t.lockout.tooMany : null),
          firstWait: between(1, 60, inWords)(values.firstWait),
          maxPasswordAttempts: between(1, 100)(values.maxPasswordAttempts),
          lockDuration: between(60, 43_200, inWords)(values.lockDuration),
        };
      }}
      fields={({ form, inherited, source }) => (
        <>
          <NumberField
            label={t.lockout.freePasswordAttempts}
            help={t.lockout.help.freePasswordAttempts}
            inherited={Number(inherited.freePasswordAttempts)}
            source={source}
            {...form.getInputProps('freePasswordAttempts')}
          />
          <DurationField
            label={t.lockout.firstWait}
            help={t.lockout.help.firstWait}
            inherited={secondsOf(inherited.firstWait)}
            source={source}
            units={['seconds', 'minutes']}
            {...form.getInputProps('firstWait')}
          />
          <NumberField
            label={t.lockout.maxPasswordAttempts}
            help={t.lockout.help.maxPasswordAttempts}
            inherited={Number(inherited.maxPasswordAttempts)}
            source={source}
            {...form.getInputProps('maxPasswordAttempts')}
          />
          <DurationField
            label={t.lockout.lockDuration}
            help={t.lockout.help.lockDuration}
            inherited={secondsOf(inherited.lockDuration)}
            source={source}
            units={['minutes', 'hours']}
            {...form.getInputProps('lockDuration')}
          />
          <Meaning {...inEffect(form.values, inherited)} />
        </>
      )}
    />
  );
}

/** The four numbers as what somebody lives through. */
function Meaning({
  freePasswordAttempts: free = 0,
  firstWait = 0,
  maxPasswordAttempts: most = 0,
  lockDuration = 0,
}: Readonly<Partial<Record<string, number>>>) {
  return (
    <Alert variant="light" color="gray" title={t.lockout.meaning}>
      {say(free < most ? t.lockout.meaningText : t.lockout.meaningNoWait, {
        free,
        wait: inWords(firstWait),
        most,
        lock: inWords(lockDuration),
      })}
    </Alert>
  );
}
