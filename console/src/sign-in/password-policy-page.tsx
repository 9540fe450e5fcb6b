import { Fieldset, Stack } from '@mantine/core';
import de from '../../../locales/console/de/sign-in.json';
import en from '../../../locales/console/en/sign-in.json';
import { PASSWORD_LENGTHS } from '../../../src/domain/policies/policy-limits.ts';
import { words } from '../app/words.ts';
import { between, NumberField, ToggleField, type OptionalNumber } from '../shared/fields.tsx';
import { passwordPolicy, type PasswordBody, type PasswordPolicy } from './policies.ts';
import { PolicyPage } from './policy-page.tsx';

const t = words({ en, de });
const MUST_HAVE = ['hasLowercase', 'hasUppercase', 'hasNumber', 'hasSymbol'] as const;
const { least: LEAST, most: MOST } = PASSWORD_LENGTHS;

interface Values extends Record<string, unknown> {
  readonly minLength: OptionalNumber;
  readonly hasLowercase: boolean;
  readonly hasUppercase: boolean;
  readonly hasNumber: boolean;
  readonly hasSymbol: boolean;
}

/** What a new password must be like. */
export function PasswordPolicyPage() {
  return (
    <PolicyPage<PasswordPolicy, PasswordBody, Values>
      kind={passwordPolicy}
      valuesOf={({ policy: { minLength, ...policy }, isDefault }) => ({
        ...policy,
        minLength: isDefault ? '' : Number(minLength),
      })}
      bodyOf={({ minLength, ...values }) => ({ ...values, ...(minLength !== '' && { minLength }) })}
      validate={({ minLength }) => ({ minLength: between(LEAST, MOST)(minLength) })}
      fields={({ form, inherited, source }) => (
        <>
          <NumberField
            label={t.password.minLength}
            help={t.password.help.minLength}
            inherited={Number(inherited.minLength)}
            source={source}
            {...form.getInputProps('minLength')}
          />
          <Fieldset legend={t.password.mustHave} variant="unstyled" className="switches">
            <Stack gap="md" mt="sm">
              {MUST_HAVE.map((name) => (
                <ToggleField
                  key={name}
                  label={t.password[name]}
                  help={t.password.help[name]}
                  inherited={inherited[name]}
                  source={source}
                  {...form.getInputProps(name, { type: 'checkbox' })}
                />
              ))}
            </Stack>
          </Fieldset>
        </>
      )}
    />
  );
}
