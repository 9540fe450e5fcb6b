import { Group, Paper, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import de from '../../../locales/console/de/providers.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/providers.json';
import shared from '../../../locales/console/en/shared.json';
import { answered, api, ifMatch } from '../api/client.ts';
import { useMayInInstance } from '../app/permissions.ts';
import { momentOf, words } from '../app/words.ts';
import { ActivationSwitch } from '../shared/activation-switch.tsx';
import { Deletion } from '../shared/deletion.tsx';
import { Found } from '../shared/found.tsx';
import { AppLink } from '../shared/links.tsx';
import { PageHead } from '../shared/page-head.tsx';
import { Facts, Section } from '../shared/section.tsx';
import { SettingsForm } from '../shared/settings-form.tsx';
import { State } from '../shared/state.tsx';
import { ProviderFields } from './provider-fields.tsx';
import { ProviderTest } from './provider-test.tsx';
import {
  bodyOf,
  CHANNELS,
  KINDS,
  PROVIDER_STATES,
  PROVIDERS_KEY,
  readProvider,
  valuesOf,
  type Provider,
  type ProviderValues,
} from './providers.ts';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });

/** One provider: whether it carries messages, whether it works, and its settings. */
export function ProviderPage() {
  const { provider: id = '' } = useParams({ strict: false });
  const found = useQuery({ queryKey: [...PROVIDERS_KEY, id], queryFn: async () => await readProvider(id) });
  return <Found found={found}>{(provider) => <OneProvider provider={provider} />}</Found>;
}

function OneProvider({ provider }: { readonly provider: Provider }) {
  const may = useMayInInstance();
  const navigate = useNavigate();
  const params = { path: { id: provider.id } };
  const mayWrite = may('iam.notification_provider.write') && provider.source === 'api';
  return (
    <div className="console-page">
      <PageHead
        title={provider.name}
        lead={
          <Group gap="xs">
            <Text span>
              {KINDS[provider.kind]}, {CHANNELS[provider.channel]}
            </Text>
            <State {...PROVIDER_STATES[provider.state]} />
          </Group>
        }
        back={
          <AppLink size="sm" to="/instance/providers">
            {t.title}
          </AppLink>
        }
        actions={
          mayWrite && (
            <ActivationSwitch
              isActive={provider.state !== 'STATE_INACTIVE'}
              name={provider.name}
              activate={async () =>
                await answered(api.POST('/admin/v1/notification_providers/{id}/_activate', { params }))
              }
              deactivate={async () =>
                await answered(api.POST('/admin/v1/notification_providers/{id}/_deactivate', { params }))
              }
              stale={[PROVIDERS_KEY]}
              words={t}
            />
          )
        }
      />
      {may('iam.notification_provider.test') && <ProviderTest provider={provider} />}
      <Settings key={provider.id} provider={provider} mayWrite={mayWrite} />
      {mayWrite && (
        <Deletion
          title={t.act.remove}
          label={t.act.remove}
          name={provider.name}
          text={t.act.removeText}
          word={provider.name}
          remove={async () => await answered(api.DELETE('/admin/v1/notification_providers/{id}', { params }))}
          stale={[[...PROVIDERS_KEY, 'list']]}
          done={t.done.removed}
          onGone={() => void navigate({ to: '/instance/providers', ignoreBlocker: true })}
        />
      )}
    </div>
  );
}

function Settings({ provider, mayWrite }: { readonly provider: Provider; readonly mayWrite: boolean }) {
  return (
    <SettingsForm<ProviderValues>
      bare
      name={`provider.${provider.id}`}
      what={t.settings}
      secrets={['secret']}
      initial={valuesOf(provider)}
      sequence={provider.details?.sequence}
      save={async (values, sequence) =>
        await answered(
          api.PUT('/admin/v1/notification_providers/{id}', {
            params: {
              path: { id: provider.id },
              ...(sequence !== undefined && { header: ifMatch(sequence) }),
            },
            body: bodyOf(values),
          }),
        )
      }
      stale={[PROVIDERS_KEY]}
      done={s.form.saved}
    >
      {(form) => (
        <Section
          title={t.settings}
          lead={provider.source === 'configuration' ? t.ofConfiguration : t.settingsLead}
        >
          <Paper maw={640} mb="lg" withBorder={false}>
            <ProviderFields form={form} isNew={false} isReadOnly={!mayWrite} />
          </Paper>
          <Facts
            facts={[
              [s.list.created, momentOf(provider.details?.creationDate)],
              [s.list.changed, momentOf(provider.details?.changeDate)],
            ]}
          />
        </Section>
      )}
    </SettingsForm>
  );
}
