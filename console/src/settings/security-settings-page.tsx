import { useQuery } from '@tanstack/react-query';
import de from '../../../locales/console/de/settings.json';
import en from '../../../locales/console/en/settings.json';
import { useMayInInstance } from '../app/permissions.ts';
import { words } from '../app/words.ts';
import { ToggleField } from '../shared/fields.tsx';
import { Facts, Section } from '../shared/section.tsx';
import { SettingsForm } from '../shared/settings-form.tsx';
import { SettingsFrame } from './settings-frame.tsx';
import { security, settingsKey } from './settings.ts';

const t = words({ en, de });
const key = settingsKey('security');

/** What is allowed in the whole instance. */
export function SecuritySettingsPage() {
  const may = useMayInInstance();
  const found = useQuery({ queryKey: key, queryFn: security.find });
  return (
    <SettingsFrame title={t.security.title} lead={t.security.lead} found={found}>
      {({ settings: { enableImpersonation }, details }) =>
        may('iam.write') ? (
          <SettingsForm
            name={key.join('.')}
            initial={{ enableImpersonation }}
            sequence={details.sequence}
            save={security.replace}
            stale={[key]}
            done={t.saved}
          >
            {(form) => (
              <ToggleField
                label={t.security.enableImpersonation}
                help={t.security.enableImpersonationHelp}
                {...form.getInputProps('enableImpersonation', { type: 'checkbox' })}
              />
            )}
          </SettingsForm>
        ) : (
          <Section title={t.security.title}>
            <Facts facts={[[t.security.enableImpersonation, enableImpersonation ? t.on : t.off]]} />
          </Section>
        )
      }
    </SettingsFrame>
  );
}
