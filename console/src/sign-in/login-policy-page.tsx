import { TagsInput } from '@mantine/core';
import de from '../../../locales/console/de/sign-in.json';
import en from '../../../locales/console/en/sign-in.json';
import { words } from '../app/words.ts';
import { ToggleField } from '../shared/fields.tsx';
import { loginPolicy } from './policies.ts';
import { PolicyPage } from './policy-page.tsx';

const t = words({ en, de });
const FIELDS = ['allowRegister', 'requireLoginName', 'allowAccountDeletion', 'allowExternalIdps'] as const;

/** What people may do at the sign-in page. */
export function LoginPolicyPage() {
  return (
    <PolicyPage
      kind={loginPolicy}
      valuesOf={({ policy }) => ({ ...policy })}
      bodyOf={(values) => values}
      fields={({ form, inherited, source }) => (
        <>
          {FIELDS.map((name) => (
            <ToggleField
              key={name}
              label={t.login[name]}
              help={t.login.help[name]}
              inherited={inherited[name]}
              source={source}
              {...form.getInputProps(name, { type: 'checkbox' })}
            />
          ))}
          <TagsInput
            label={t.login.instanceIdps}
            description={t.login.help.instanceIdps}
            {...form.getInputProps('instanceIdps')}
          />
        </>
      )}
    />
  );
}
