import { useQuery } from '@tanstack/react-query';
import de from '../../../locales/console/de/settings.json';
import en from '../../../locales/console/en/settings.json';
import { useMayInInstance } from '../app/permissions.ts';
import { words } from '../app/words.ts';
import { Facts, Section } from '../shared/section.tsx';
import { SettingsForm } from '../shared/settings-form.tsx';
import {
  factorBody,
  factorErrors,
  FactorFields,
  factorValues,
  type FactorValues,
} from '../sign-in/factor-fields.tsx';
import { factorFacts } from '../sign-in/policies.ts';
import { SettingsFrame, SetWhen } from './settings-frame.tsx';
import { factors, settingsKey } from './settings.ts';

const t = words({ en, de });
const key = settingsKey('factors');

/** What is asked beside a password where an organization has set nothing, and always of owners of the instance. */
export function FactorSettingsPage() {
  const may = useMayInInstance();
  const found = useQuery({ queryKey: key, queryFn: factors.find });
  return (
    <SettingsFrame title={t.factors.title} lead={t.factors.lead} found={found}>
      {({ settings, isDefault, details }) => (
        <>
          <SetWhen
            isDefault={isDefault}
            usual={t.factors.usual}
            set={t.factors.set}
            at={details.changeDate}
          />
          {may('iam.write') ? (
            <SettingsForm<FactorValues>
              name={key.join('.')}
              initial={factorValues(settings, false)}
              validate={factorErrors}
              sequence={details.sequence}
              save={async (values, sequence) => await factors.replace(factorBody(values, settings), sequence)}
              // organizations inherit them
              stale={[key, ['sign-in']]}
              done={t.saved}
            >
              {(form) => <FactorFields form={form} />}
            </SettingsForm>
          ) : (
            <Section title={t.factors.title}>
              <Facts facts={factorFacts(settings)} />
            </Section>
          )}
        </>
      )}
    </SettingsFrame>
  );
}
