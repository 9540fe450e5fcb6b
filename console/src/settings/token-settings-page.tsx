import { useQuery } from '@tanstack/react-query';
import de from '../../../locales/console/de/settings.json';
import en from '../../../locales/console/en/settings.json';
import { useMayInInstance } from '../app/permissions.ts';
import { words } from '../app/words.ts';
import { Facts, Section } from '../shared/section.tsx';
import { SettingsForm } from '../shared/settings-form.tsx';
import { tokenFacts } from '../sign-in/policies.ts';
import {
  tokenBody,
  tokenErrors,
  TokenFields,
  tokenValues,
  type TokenValues,
} from '../sign-in/token-fields.tsx';
import { SettingsFrame, SetWhen } from './settings-frame.tsx';
import { oidc, settingsKey } from './settings.ts';

const t = words({ en, de });
const key = settingsKey('oidc');
const LONGEST = 2_592_000;

/** How long tokens last where an organization has set nothing. */
export function TokenSettingsPage() {
  const may = useMayInInstance();
  const found = useQuery({ queryKey: key, queryFn: oidc.find });
  return (
    <SettingsFrame title={t.tokens.title} lead={t.tokens.lead} found={found}>
      {({ settings, isDefault, details }) => (
        <>
          <SetWhen isDefault={isDefault} usual={t.tokens.usual} set={t.tokens.set} at={details.changeDate} />
          {may('iam.write') ? (
            <SettingsForm<TokenValues>
              name={key.join('.')}
              initial={tokenValues(settings, isDefault ? settings : undefined)}
              validate={(values) => tokenErrors(values, LONGEST)}
              sequence={details.sequence}
              save={async (values, sequence) => await oidc.replace(tokenBody(values), sequence)}
              // organizations inherit them
              stale={[key, ['sign-in']]}
              done={t.saved}
            >
              {(form) => (
                <TokenFields form={form} {...(isDefault && { inherited: settings, source: t.environment })} />
              )}
            </SettingsForm>
          ) : (
            <Section title={t.tokens.title}>
              <Facts facts={tokenFacts(settings)} />
            </Section>
          )}
        </>
      )}
    </SettingsFrame>
  );
}
